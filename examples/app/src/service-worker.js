// Keeps the app's own files, so that it opens without a network. vite.config.ts puts `kept` at the top: {version, files}.
const name = `app ${kept.version}`

const types = {
  '/': 'text/html',
  js: 'javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  webmanifest: 'json',
}

/** Fetches a file of this version. Throws if the host has another one, or none: then an earlier worker goes on. */
async function fetchFile(file) {
  // An answer in the browser's cache may be from before the deployment.
  const response = await fetch(file, { cache: 'no-cache' })
  const type = response.headers.get('Content-Type') ?? ''
  // A browser refuses a redirected response for a page.
  const isGood =
    response.ok && !response.redirected && type.includes(types[file] ?? types[file.split('.').at(-1)])
  // Read to its end, since a browser has few connections to a host.
  const body = await response.blob()
  if (!isGood || (file === '/' && !isOfThisVersion(await body.text())))
    throw new Error(`The service does not have ${file} of this version.`)
  return new Response(body, { headers: response.headers })
}

/** True if the page loads files of this version, and no others. */
function isOfThisVersion(page) {
  const loaded = [...page.matchAll(/"(\/assets\/[^"]+)"/g)]
  return loaded.length > 0 && loaded.every(([, file]) => kept.files.includes(file))
}

async function install() {
  const responses = await Promise.all(kept.files.map(fetchFile))
  const cache = await caches.open(name)
  await Promise.all(kept.files.map((file, position) => cache.put(file, responses[position])))
  await self.skipWaiting()
}

async function activate() {
  for (const old of await caches.keys()) if (old !== name) await caches.delete(old)
  await self.clients.claim()
}

self.addEventListener('install', (event) => event.waitUntil(install()))
self.addEventListener('activate', (event) => event.waitUntil(activate()))

// The service may have this origin too: its answers are never kept here, and links in mails lead to its own pages.
self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== self.location.origin || /^\/(api|docs)(\/|$)/.test(pathname)) return
  const file = mode === 'navigate' ? '/' : event.request
  // Another version may be half installed.
  const found = caches.match(file, { cacheName: name })
  event.respondWith(found.then((response) => response ?? fetch(event.request)))
})
