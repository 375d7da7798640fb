import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { counted } from './format.ts'
import { Accounts } from './pages/accounts.tsx'
import { Changes } from './pages/changes.tsx'
import { Dashboard } from './pages/dashboard.tsx'
import { ImportFile } from './pages/import-file.tsx'
import { Settings } from './pages/settings.tsx'
import { ForgottenPassword, NewPassword, Register, SignIn } from './pages/sign-in.tsx'
import { Transactions } from './pages/transactions.tsx'
import { go, place, visit } from './router.ts'
import { type Session, session } from './session.ts'
import { useFollowed } from './store.ts'
import { connection, keepInSync } from './sync.ts'
import { Toasts } from './ui/toast.tsx'

export type PageProps = { ledger: Ledger; session: Session }

/** Pages that need no sign-in. The API leads to `/login`, `/reset-password` and `/dashboard` (docs/contract.md). */
const doors: Record<string, ComponentType> = {
  '/login': SignIn,
  '/register': Register,
  '/forgot-password': ForgottenPassword,
  '/reset-password': NewPassword,
}

type Shown = [page: ComponentType<PageProps>, label?: string, icon?: string]

/** Those with a label are in the navigation, each with a line icon. */
const pages: Record<string, Shown> = {
  '/dashboard': [Dashboard, 'Overview', 'M4 20V10M10 20V4M16 20v-8M22 20H2'],
  '/transactions': [Transactions, 'Transactions', 'M8 6h13M8 12h13M8 18h13M3 6h.01M3 12h.01M3 18h.01'],
  '/accounts': [Accounts, 'Accounts', 'M3 7h18v11a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2zm0 0 12-4v4M17 13.500h.01'],
  '/import': [ImportFile, 'Import', 'M12 16V4M7 9l5-5 5 5M4 20h16'],
  '/settings': [Settings, 'Settings', 'M4 7h16M4 17h16M9 4v6M15 14v6'],
  '/changes': [Changes],
}
const links = Object.entries(pages).filter(([, [, label]]) => label)

export function App() {
  const current = useFollowed(session).get()
  const { pathname } = useFollowed(place).get()
  useEffect(() => {
    const isAtDoor = pathname === '/login' || pathname === '/register'
    if (current && isAtDoor) go('/dashboard', { isReplacing: true })
  })
  const Door = doors[pathname] ?? (current === null ? SignIn : undefined)
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
  const [Page] = pages[place.get().pathname] ?? [Dashboard]
  return (
    <div class="shell">
      <nav aria-label="Pages">
        {links.map(([path, [page, label, icon]]) => (
          <a key={path} href={path} aria-current={page === Page ? 'page' : undefined}>
            <svg viewBox="0 0 24 24" width="24" aria-hidden="true">
              <path d={icon} fill="none" stroke="currentcolor" stroke-width="2" />
            </svg>
            {label}
          </a>
        ))}
      </nav>
      <Status ledger={ledger} />
      <main>
        {ledger.profile() ? (
          <Page key={visit()} ledger={ledger} session={session} />
        ) : (
          <p>Fetching your data …</p>
        )}
      </main>
    </div>
  )
}

/** Whether there is a network, and what is waiting for it or for the person. */
function Status({ ledger }: { ledger: Ledger }) {
  const { isOnline } = useFollowed(connection).get()
  const questions = ledger.conflicts().length + ledger.rejected().length
  const waiting = ledger.waiting().length - questions
  const parts = [
    isOnline ? 'Online' : 'Offline',
    waiting > 0 ? `${counted(waiting, 'change')} waiting` : questions === 0 && 'all saved',
    questions > 0 && `${counted(questions, 'change')} to look at`,
  ]
  const text = parts.filter(Boolean).join(' · ')
  return (
    <p role="status" class="status">
      <a href="/changes">{isOnline && questions === 0 ? text : <mark>{text}</mark>}</a>
    </p>
  )
}
