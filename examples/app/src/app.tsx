import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { currency } from './amounts.ts'
import { counted } from './format.ts'
import { looks } from './looks.ts'
import { Dashboard } from './pages/dashboard.tsx'
import { ForgottenPassword, NewPassword, Register, SignIn } from './pages/sign-in.tsx'
import { go, place, visit } from './router.ts'
import { type Session, session } from './session.ts'
import { useFollowed } from './store.ts'
import { connection, keepInSync } from './sync.ts'
import { Icon, type IconName } from './ui/icon.tsx'
import { lazy } from './ui/lazy.tsx'
import { Page } from './ui/page.tsx'
import { Toasts } from './ui/toast.tsx'

export type PageProps = { ledger: Ledger; session: Session }

/** Pages that need no sign-in. The API leads to `/login`, `/reset-password` and `/dashboard` (docs/contract.md). */
const doors: Record<string, ComponentType> = {
  '/login': SignIn,
  '/register': Register,
  '/forgot-password': ForgottenPassword,
  '/reset-password': NewPassword,
}

type Shown = { page: ComponentType<PageProps>; label?: string; icon?: IconName; isFirst?: true }

/** Those with a label are in the navigation: on phones, the first ones only. */
const pages: Record<string, Shown> = {
  '/dashboard': { page: Dashboard, label: 'Overview', icon: 'overview', isFirst: true },
  '/transactions': {
    page: lazy(() => import('./pages/transactions.tsx').then((file) => file.Transactions)),
    ...{ label: 'Transactions', icon: 'list', isFirst: true },
  },
  '/accounts': {
    page: lazy(() => import('./pages/accounts.tsx').then((file) => file.Accounts)),
    ...{ label: 'Accounts', icon: 'wallet', isFirst: true },
  },
  '/reports': {
    page: lazy(() => import('./pages/reports.tsx').then((file) => file.Reports)),
    ...{ label: 'Reports', icon: 'chart', isFirst: true },
  },
  '/categories': {
    page: lazy(() => import('./pages/categories.tsx').then((file) => file.Categories)),
    ...{ label: 'Categories', icon: 'tag' },
  },
  '/matches': {
    page: lazy(() => import('./pages/matches.tsx').then((file) => file.Matches)),
    ...{ label: 'Matches', icon: 'pair' },
  },
  '/import': {
    page: lazy(() => import('./pages/import-file.tsx').then((file) => file.ImportFile)),
    ...{ label: 'Import', icon: 'import' },
  },
  '/settings': {
    page: lazy(() => import('./pages/settings.tsx').then((file) => file.Settings)),
    ...{ label: 'Settings', icon: 'settings' },
  },
  '/changes': { page: lazy(() => import('./pages/changes.tsx').then((file) => file.Changes)) },
  '/more': { page: More },
}
const links = Object.entries(pages).filter(([, { label }]) => label)

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
  useFollowed(looks)
  useFollowed(currency)
  useEffect(() => keepInSync(ledger), [ledger])
  const shown = pages[place.get().pathname] ?? { page: Dashboard, isFirst: true }
  const link = (path: string, label: string, icon: IconName, className: string, isCurrent: boolean) => (
    <a key={path} href={path} class={className} aria-current={isCurrent ? 'page' : undefined}>
      <Icon name={icon} />
      {label}
    </a>
  )
  return (
    <div class="shell">
      <nav aria-label="Pages">
        {links.map(([path, { page, label = '', icon = 'more', isFirst }]) =>
          link(path, label, icon, isFirst ? '' : 'wide-only', page === shown.page),
        )}
        {link('/more', 'More', 'more', 'narrow-only', !shown.isFirst)}
      </nav>
      <Status ledger={ledger} />
      <main>
        {ledger.profile() ? (
          <shown.page key={visit()} ledger={ledger} session={session} />
        ) : (
          <p role="status">Fetching your data …</p>
        )}
      </main>
    </div>
  )
}

/** The pages for which a phone's navigation has no room. */
function More() {
  return (
    <Page title="More">
      <article class="list">
        {links.map(
          ([path, { label, icon = 'more', isFirst }]) =>
            !isFirst && (
              <a key={path} href={path} class="row">
                <Icon name={icon} />
                <span>{label}</span>
                <Icon name="right" />
              </a>
            ),
        )}
      </article>
    </Page>
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
