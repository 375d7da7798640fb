import { html, raw } from 'hono/html'
import type { JsonSchema, OpenApiDocument, OperationObject, ResponseReference } from './document-types.ts'

type Html = ReturnType<typeof html>
type Operation = OperationObject & { method: string; path: string }
type Parameter = { name: string; in: string; required?: boolean; description: string; schema: JsonSchema }
type Content = Record<string, { schema: JsonSchema; example?: unknown }>

/** Operations that redirect, or have a very large response. */
const withoutForm = ['completeProviderSignIn', 'verifyEmail', 'showDocument']

/** The reference page: static HTML of the whole document. `/docs/page.js` sends its forms. */
export function referencePage(document: OpenApiDocument): string {
  const { title, version, description } = document.info as Record<string, string>
  const tags = document.tags as { name: string; description: string }[]
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]): Operation => ({ ...operation, method: method.toUpperCase(), path }),
    ),
  )
  const { responses, schemas } = document.components
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/page.css">
<script type="module" src="/docs/page.js"></script>
</head>
<body>
<header>
<h1>${title} API <small>${version}</small></h1>
<label>Search <input id="search" type="search" autocomplete="off" spellcheck="false"></label>
<label>Token <input id="token" autocomplete="off" spellcheck="false"></label>
</header>
<nav aria-label="Sections">
${tags.map(({ name }) => html`<a href="#${anchor(name)}">${name}</a> `)}
<a href="#failures">Failures</a> <a href="#schemas">Schemas</a> <a href="/api/openapi.json">OpenAPI document</a>
</nav>
<main>
<p id="nothing" role="status" hidden>Nothing has these words.</p>
<div id="introduction">
${description?.split('\n\n').map((paragraph) => html`<p>${markdown(paragraph)}</p>`)}
</div>
${tags.map(({ name, description }) =>
  section(
    name,
    description,
    operations
      .filter(({ tags }) => (tags as string[])[0] === name)
      .map((one) => operationDetails(one, schemas)),
  ),
)}
${section(
  'Failures',
  'Responses that operations have in common.',
  Object.entries(responses).map(
    ([name, response]) =>
      html`<details id="${name}"><summary><h3>${name}</h3></summary>${responseBody(response)}</details>`,
  ),
)}
${section(
  'Schemas',
  'The types of bodies and responses.',
  Object.entries(schemas).map(
    ([name, schema]) => html`<details id="${name}"><summary><h3>${name}</h3></summary>
${schema.description && html`<p>${markdown(String(schema.description))}</p>`}${schemaBody(schema)}</details>`,
  ),
)}
</main>
</body>
</html>
`}`
}

const anchor = (name: string) => name.toLowerCase().replaceAll(' ', '-')

/** The Markdown that the document's texts use: code, emphasis and strong emphasis. */
const markdown = (text: string) =>
  raw(
    `${html`${text}`}`
      .replace(/`([^`]+)`/g, '<code>$1</code>')
      .replace(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
      .replace(/\*(.+?)\*/g, '<em>$1</em>'),
  )

const section = (name: string, description: string, parts: Html[]) =>
  html`<section><h2 id="${anchor(name)}">${name}</h2><p>${markdown(description)}</p>
${parts}</section>
`

function operationDetails(operation: Operation, schemas: OpenApiDocument['components']['schemas']): Html {
  const { operationId, method, path, summary, description } = operation
  const body = contentOf(operation)['application/json']?.schema
  return html`<details id="${operationId}">
<summary><span class="method ${method}">${method}</span> <h3>${summary}</h3> <code>${path}</code></summary>
<p>${markdown(String(description))}</p>
${withoutForm.includes(operationId) ? '' : html`${callForm(operation, schemas)}<pre>${curl(operation)}</pre>`}
${body && html`<h4>Body: ${typeOf(body)}</h4>${schemaBody(schemas[nameOf(body) ?? ''] ?? body)}`}
<h4>Responses</h4>
${Object.entries(operation.responses).map(([status, response]) => responseDetails(status, response))}
</details>
`
}

/** The form that sends an operation, with the example as its body. */
function callForm(operation: Operation, schemas: OpenApiDocument['components']['schemas']): Html {
  const parameters = (operation.parameters ?? []) as Parameter[]
  const content = Object.entries(contentOf(operation))
  const text = content.find(([, { example }]) => example !== undefined)
  return html`<form data-method="${operation.method}" data-path="${operation.path}">
${parameters.map(
  ({ name, in: place, required, description, schema }) => html`<label>
<span><code>${name}</code> ${required ? 'required ' : ''}<small>${place}, ${typeOf(schema)}</small></span>
${control(schemas[nameOf(schema) ?? ''] ?? schema, html`name="${name}" data-in="${place}"${required ? raw(' required') : ''}`)}
<span>${markdown(description ?? '')}</span></label>
`,
)}${content.some(([type]) => type === 'multipart/form-data') ? html`<label>File <input type="file" name="file"></label>` : ''}
${
  text &&
  html`<label class="body"><span>Body, <code>${text[0]}</code></span>
<textarea name="body" data-type="${text[0]}" spellcheck="false">${pretty(text[1].example)}</textarea></label>`
}
<button>Send</button>
<output></output>
</form>
`
}

/** A list of the choices of a schema, the first of them none, or an input. */
function control({ type, enum: words }: JsonSchema, attributes: Html): Html {
  const choices = (words as string[] | undefined) ?? (type === 'boolean' ? ['true', 'false'] : [])
  if (choices.length === 0) return html`<input ${attributes} autocomplete="off">`
  const options = ['', ...choices].map((choice) => html`<option>${choice}</option>`)
  return html`<select ${attributes}>${options}</select>`
}

function responseDetails(status: string, response: ResponseReference): Html {
  if ('$ref' in response) {
    const name = response.$ref.split('/').at(-1)
    return html`<p>${status} <a href="#${name}">${name}</a></p>`
  }
  return html`<h5>${status}</h5>${responseBody(response)}`
}

function responseBody({ description, content = {} }: Exclude<ResponseReference, { $ref: string }>): Html {
  return html`<p>${markdown(description)}</p>
${Object.entries(content).map(
  ([type, { schema, example }]) => html`<p><code>${type}</code> ${typeOf(schema)}</p>
${example === undefined ? '' : html`<pre>${pretty(example)}</pre>`}`,
)}`
}

/** The fields of an object, or the type of another schema. */
function schemaBody(schema: JsonSchema): Html {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const required = (schema.required ?? []) as string[]
  const [example] = (schema.examples ?? []) as unknown[]
  if (properties.length === 0) return html`<p>${typeOf(schema)}</p>`
  return html`<dl>
${properties.map(
  ([
    name,
    field,
  ]) => html`<dt><code>${name}</code> ${required.includes(name) ? 'required ' : ''}<small>${typeOf(field)}</small></dt>
<dd>${markdown(String(field.description ?? ''))}</dd>
`,
)}</dl>${example === undefined ? '' : html`<pre>${pretty(example)}</pre>`}`
}

/** The type of a schema, with links to named schemas. */
function typeOf(schema: JsonSchema): Html {
  const name = nameOf(schema)
  if (name) return html`<a href="#${name}">${name}</a>`
  const { type, items, anyOf, enum: words, format, additionalProperties } = schema
  if (anyOf) return html`${(anyOf as JsonSchema[]).map((one, i) => html`${i ? ' or ' : ''}${typeOf(one)}`)}`
  if (words) return html`${(words as string[]).join(' | ')}`
  if (items) return html`array of ${typeOf(items as JsonSchema)}`
  if (typeof additionalProperties === 'object')
    return html`object of ${typeOf(additionalProperties as JsonSchema)}`
  return html`${[type ?? 'any'].flat().join(' or ')}${format ? ` (${format})` : ''}`
}

const nameOf = ({ $ref }: JsonSchema) => (typeof $ref === 'string' ? $ref.split('/').at(-1) : undefined)

const contentOf = ({ requestBody }: Operation): Content =>
  (requestBody as { content: Content } | undefined)?.content ?? {}

const pretty = (example: unknown) =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2)

/** The curl command of an operation, with the variables `API` and `TOKEN` of `npm run seed`. */
function curl({ method, path, security, ...operation }: Operation): string {
  const url = `"$API${path.replace(/^\/api/, '').replace(/{\w+}/g, '1')}"`
  const [type, { example }] = Object.entries(contentOf({ method, path, ...operation })).find(
    ([, { example }]) => example !== undefined,
  ) ?? ['', { example: undefined }]
  const data = typeof example === 'string' ? example : JSON.stringify(example)
  return [
    'curl',
    ...(method === 'GET' || (method === 'POST' && data) ? [] : ['-X', method]),
    url,
    ...(security ? [] : ['-H "Authorization: Bearer $TOKEN"']),
    ...(data ? [`-H 'Content-Type: ${type}'`, `--data-binary '${data.replaceAll("'", "'\\''")}'`] : []),
  ].join(' ')
}
