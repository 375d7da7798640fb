const token = document.querySelector('#token')
token.value = localStorage.getItem('token') ?? ''
token.addEventListener('input', () => localStorage.setItem('token', token.value))

const search = document.querySelector('#search')
const sections = [...document.querySelectorAll('section')]
/** What operations, failures and schemas are found by: their names, paths and fields. */
const names = new Map(
  [...document.querySelectorAll('details')].map((details) => [
    details,
    [details, ...details.querySelectorAll('summary, label code, dt code')]
      .map(({ id, textContent }) => id || textContent)
      .join(' ')
      .toLowerCase(),
  ]),
)
search.addEventListener('input', () => {
  filter()
  scrollTo(0, 0)
})

// A link to an operation, a failure or a schema opens it.
addEventListener('hashchange', openTarget)
openTarget()

for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    send(form)
  })
}

/** Shows only what has all words of the search. */
function filter() {
  const words = search.value.toLowerCase().split(/\s+/)
  for (const [details, text] of names) details.hidden = !words.every((word) => text.includes(word))
  for (const section of sections) section.hidden = !section.querySelector('details:not([hidden])')
  document.querySelector('#introduction').hidden = search.value !== ''
  document.querySelector('#nothing').hidden = sections.some(({ hidden }) => !hidden)
}

function openTarget() {
  const target = document.getElementById(location.hash.slice(1))
  if (target?.closest('[hidden]')) {
    search.value = ''
    filter()
  }
  if (target instanceof HTMLDetailsElement) {
    target.open = true
    target.scrollIntoView()
  }
}

/** Sends the call that a form describes, and shows the response. */
async function send(form) {
  const output = form.querySelector('output')
  output.textContent = 'Sending …'
  const started = performance.now()
  try {
    const { url, ...request } = requestOf(form)
    const response = await fetch(url, request)
    const text = await response.text()
    const ms = Math.round(performance.now() - started)
    showResponse(output, `${response.status} ${response.statusText}, ${ms} ms`, text)
    keepToken(text)
  } catch (error) {
    showResponse(output, 'Not sent', String(error))
  }
}

function requestOf(form) {
  const { method, path } = form.dataset
  const query = new URLSearchParams()
  const headers = new Headers()
  let filled = path
  for (const { name, value, dataset } of form.querySelectorAll('[data-in]')) {
    if (dataset.in === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value))
    else if (value && dataset.in === 'query') query.append(name, value)
    else if (value) headers.set(name, value)
  }
  if (token.value) headers.set('Authorization', `Bearer ${token.value.trim()}`)
  const url = query.size > 0 ? `${filled}?${query}` : filled
  return { url, method, headers, body: bodyOf(form, headers) }
}

/** A chosen file as a form, otherwise the text. */
function bodyOf(form, headers) {
  const { file, body } = form.elements
  if (file?.files.length > 0) return new FormData(form)
  if (body) headers.set('Content-Type', body.dataset.type)
  return body?.value
}

function showResponse(output, status, text) {
  const pre = document.createElement('pre')
  pre.textContent = prettyIfJson(text)
  output.replaceChildren(status, pre)
}

/** The token of a registration or a sign-in is used from then on. */
function keepToken(text) {
  const { access_token: issued } = parsed(text) ?? {}
  if (!issued) return
  token.value = issued
  localStorage.setItem('token', issued)
}

const prettyIfJson = (text) => (parsed(text) === undefined ? text : JSON.stringify(parsed(text), null, 2))

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
