import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { counted } from './format.ts'
import { Accounts } from './pages/accounts.tsx'
import { Changes } from './pages/changes.tsx'
import { Dashboard } from './pages/dashboard.tsx'
import { ImportFile } from './pages/import-file.tsx'
import { ForgottenPassword, NewPassword } from './pages/password.tsx'
import { Settings } from './pages/settings.tsx'
import { Register, SignIn } from './pages/sign-in.tsx'
import { Transactions } from './pages/transactions.tsx'
import { place } from './router.ts'
import { type Session, session } from './session.ts'
import { useFollowed } from './store.ts'
import { connection, keepInSync } from './sync.ts'
import { Icon, type IconName } from './ui/icon.tsx'
import { Toasts } from './ui/toast.tsx'

export type PageProps = { ledger: Ledger; session: Session }

/** Pages for everybody. The API leads to `/login` and `/reset-password`, and to `/dashboard` (docs/contract.md). */
const doors: Record<string, ComponentType> = {
  '/login': SignIn,
  '/register': Register,
  '/forgot-password': ForgottenPassword,
  '/reset-password': NewPassword,
}

const pages: Record<string, ComponentType<PageProps>> = {
  '/dashboard': Dashboard,
  '/transactions': Transactions,
  '/accounts': Accounts,
  '/import': ImportFile,
  '/settings': Settings,
  '/changes': Changes,
}

const links: [path: string, label: string, icon: IconName][] = [
  ['/dashboard', 'Overview', 'overview'],
  ['/transactions', 'Transactions', 'list'],
  ['/accounts', 'Accounts', 'wallet'],
  ['/import', 'Import', 'upload'],
  ['/settings', 'Settings', 'settings'],
]

export function App() {
  const current = useFollowed(session).get()
  const { pathname } = useFollowed(place).get()
  if (current === undefined) return null
  const Door = doors[pathname] ?? (current ? undefined : SignIn)
  return (
    <>
      {Door ? <Door /> : current && <SignedIn key={current.userId} session={current} />}
      <Toasts />
    </>
  )
}

function SignedIn({ session }: { session: Session }) {
  const ledger = useFollowed(session.ledger)
  useEffect(() => keepInSync(ledger), [ledger])
  const { pathname } = place.get()
  const Page = pages[pathname] ?? Dashboard
  return (
    <div class="shell">
      <nav aria-label="Pages">
        <span class="brand">
          <img src="/icon.svg" alt="" width="28" height="28" /> Purse
        </span>
        {links.map(([path, label, icon]) => (
          <a key={path} href={path} aria-current={pages[path] === Page ? 'page' : undefined}>
            <Icon name={icon} />
            {label}
          </a>
        ))}
      </nav>
      <Status ledger={ledger} />
      <main>{ledger.profile() ? <Page ledger={ledger} session={session} /> : <FirstTime />}</main>
    </div>
  )
}

/** Whether there is a network, and what waits for it or for the person. */
function Status({ ledger }: { ledger: Ledger }) {
  const { isOnline, isSyncing } = useFollowed(connection).get()
  const questions = ledger.conflicts().length + ledger.rejected().length
  const waiting = ledger.waiting().length - questions
  const state = !isOnline ? 'Offline' : waiting > 0 && isSyncing ? 'Sending' : 'Online'
  const parts = [
    state,
    ...(waiting > 0 ? [`${counted(waiting, 'change')} waiting`] : isOnline ? ['all saved'] : []),
    ...(questions > 0 ? [`${counted(questions, 'change')} to look at`] : []),
  ]
  return (
    <p role="status" class={`status ${questions > 0 ? 'asks' : isOnline ? '' : 'offline'}`}>
      <a href="/changes">{parts.join(' · ')}</a>
    </p>
  )
}

function FirstTime() {
  const { isOnline } = useFollowed(connection).get()
  return (
    <p class="empty">
      {isOnline ? 'Fetching your data …' : 'The first time on a device needs a network. Waiting for one …'}
    </p>
  )
}
