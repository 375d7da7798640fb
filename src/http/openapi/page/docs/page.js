const dark = matchMedia('(prefers-color-scheme: dark)')
const followColourScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', followColourScheme)
followColourScheme()

window.reference = window.SwaggerUIBundle({
  url: '/api/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  // Pasted once, the token is still there after a reload.
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
})
