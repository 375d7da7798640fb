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

// The API is another origin: its answers are never kept here, and the ledger works without it.
self.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  if (method !== 'GET' || new URL(url).origin !== self.location.origin) return
  const file = mode === 'navigate' ? '/' : event.request
  event.respondWith(caches.match(file).then((found) => found ?? fetch(event.request)))
})
