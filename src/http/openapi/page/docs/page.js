const dark = matchMedia('(prefers-color-scheme: dark)')
const followColourScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followColourScheme)
followColourScheme()

/**
 * What cannot be tried here: the provider's callback and links in emails lead to other pages, and the document itself is
 * too large to show.
 */
const notTried = ['/api/auth/idp/callback', '/api/email/verify/{id}/{hash}', '/api/openapi.json']
const onlyWhatCanBeTried = () => ({
  statePlugins: {
    spec: { wrapSelectors: { allowTryItOutFor: () => (_state, path) => !notTried.includes(path) } },
  },
})

window.reference = window.SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Pasted once, the token is still there after a reload.
  persistAuthorization: true,
  plugins: [onlyWhatCanBeTried],
  tryItOutEnabled: true,
  syntaxHighlight: { theme: 'obsidian' },
  validatorUrl: null,
})
