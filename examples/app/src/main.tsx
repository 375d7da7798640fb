import { render } from 'preact'
import { App } from './app.tsx'
import { openSession } from './session.ts'
import './style.css'

render(<App />, document.getElementById('app') as HTMLElement)
await openSession()

// The development server of Vite has no service worker, so that every edit shows.
if (import.meta.env.PROD) await navigator.serviceWorker?.register('/service-worker.js')
