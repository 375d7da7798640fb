// Keeps the app's own files, so that it opens without a network. vite.config.ts puts `kept` at the top: {version, files}.
const name = `app ${kept.version}`

async function install() {
  const cache = await caches.open(name)
  await cache.addAll(kept.files)
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
  event.respondWith(caches.match(file).then((found) => found ?? fetch(event.request)))
})
