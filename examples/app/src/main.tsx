import { render } from 'preact'
import { App } from './app.tsx'
import { failureOf } from './failure.ts'
import { mayReload } from './missing-file.ts'
import { isEntering, openSession } from './session.ts'
import { say } from './ui/toast.tsx'
import './style.css'

// For example, a storage that is full, or that a later version of the app has written.
addEventListener('unhandledrejection', ({ reason }) => say(failureOf(reason).message))

render(<App />, document.getElementById('app') as HTMLElement)
void openSession()

// A new version of the app takes over at once, unless the user is entering something.
if (navigator.serviceWorker?.controller)
  navigator.serviceWorker.addEventListener('controllerchange', () => isEntering() || location.reload())

// A deployment has replaced the file of a page that was not open yet.
addEventListener('vite:preloadError', ({ payload }) => {
  if (navigator.onLine && !isEntering() && mayReload(payload.message, sessionStorage)) location.reload()
})
// Vite's development server gets no service worker, so that every edit shows.
if (!import.meta.hot) void navigator.serviceWorker?.register('/service-worker.js')
