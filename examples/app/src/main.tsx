import { render } from 'preact'
import { App } from './app.tsx'
import { openSession } from './session.ts'
import { say } from './ui/toast.tsx'
import './style.css'

// Such as a storage that is full, or that comes from a later version of the app.
addEventListener('unhandledrejection', ({ reason }) => say(`That did not work: ${reason}`))

render(<App />, document.getElementById('app') as HTMLElement)
void openSession()

// The development server of Vite has no service worker, so that every edit shows.
if (!import.meta.hot) void navigator.serviceWorker?.register('/service-worker.js')
