import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { currency } from './amounts.ts'
import { counted, dotted, grouped } from './format.ts'
import { looks } from './looks.ts'
import { openMatches } from './matches.ts'
import { Accounts } from './pages/accounts.tsx'
import { Dashboard } from './pages/dashboard.tsx'
import { ForgottenPassword, NewPassword, Register, SignIn } from './pages/sign-in.tsx'
import { go, place, visit } from './router.ts'
import { type Session, session } from './session.ts'
import { useFollowed } from './store.ts'
import { isStoring } from './storing.ts'
import { connection, keepInSync, readyIn } from './sync.ts'
import { Icon, type IconName } from './ui/icon.tsx'
import { Keys } from './ui/keys.tsx'
import { lazy } from './ui/lazy.tsx'
import { OverrideDialog } from './ui/override.tsx'
import { Page as PageFrame } from './ui/page.tsx'
import { hush, Toasts } from './ui/toast.tsx'

export type PageProps = { ledger: Ledger; session: Session }

/** Pages that need no sign-in. The API leads to `/login`, `/reset-password` and `/dashboard` (docs/contract.md). */
const doors: Record<string, ComponentType> = {
  '/login': SignIn,
  '/register': Register,
  '/forgot-password': ForgottenPassword,
  '/reset-password': NewPassword,
}

const pages: Record<string, ComponentType<PageProps>> = {
  '/': Dashboard,
  '/dashboard': Dashboard,
  '/transactions': lazy(async () => (await import('./pages/transactions.tsx')).Transactions),
  '/accounts': Accounts,
  '/account': lazy(async () => (await import('./pages/account.tsx')).AccountPage),
  '/reports': lazy(async () => (await import('./pages/reports.tsx')).Reports),
  '/recurring': lazy(async () => (await import('./pages/recurring.tsx')).Recurring),
  '/categories': lazy(async () => (await import('./pages/categories.tsx')).Categories),
  '/matches': lazy(async () => (await import('./pages/matches.tsx')).Matches),
  '/import': lazy(async () => (await import('./pages/import-file.tsx')).ImportFile),
  '/settings': lazy(async () => (await import('./pages/settings.tsx')).Settings),
  '/changes': lazy(async () => (await import('./pages/changes.tsx')).Changes),
  '/more': More,
}

type Link = [path: string, label: string, icon: IconName, where?: 'wide-only' | 'narrow-only']

/** A phone's navigation has room for few links. */
const links: Link[] = [
  ['/dashboard', 'Overview', 'overview'],
  ['/transactions', 'Transactions', 'list'],
  ['/accounts', 'Accounts', 'wallet'],
  ['/reports', 'Reports', 'chart'],
  ['/recurring', 'Recurring', 'repeat', 'wide-only'],
  ['/categories', 'Categories', 'tag', 'wide-only'],
  ['/matches', 'Matches', 'pair', 'wide-only'],
  ['/import', 'Import', 'import', 'wide-only'],
  ['/settings', 'Settings', 'settings', 'wide-only'],
  ['/more', 'More', 'more', 'narrow-only'],
]

export function App() {
  const current = useFollowed(session).get()
  const { pathname } = useFollowed(place).get()
  useEffect(() => {
    const isAtDoor = pathname === '/login' || pathname === '/register'
    if (current && isAtDoor) go('/dashboard', { isReplacing: true })
  })
  const Door = doors[pathname] ?? (current === null ? SignIn : undefined)
  return Door ? <Door /> : current && <SignedIn key={current.userId} session={current} />
}

function SignedIn({ session }: { session: Session }) {
  const ledger = useFollowed(session.ledger)
  useFollowed(looks)
  useFollowed(currency)
  const open = useFollowed(openMatches).get()
  // The next user has other matches.
  useEffect(() => () => openMatches.set(0), [])
  useEffect(() => keepInSync(ledger), [ledger])
  const { pathname } = place.get()
  const Page = pages[pathname] ?? Unknown
  // The page of one account belongs to that of all.
  const isShown = (path: string) => pages[path] === Page || (path === '/accounts' && pathname === '/account')
  const isElsewhere = !links.some(([path, , , where]) => !where && isShown(path))
  const isCurrent = (path: string) => isShown(path) || (path === '/more' && isElsewhere)
  return (
    <div class="shell">
      <OverrideDialog />
      <div class="foot">
        <Toasts />
        <nav aria-label="Pages">
          {links.map(([path, label, icon, where]) => (
            <a key={path} href={path} class={where} aria-current={isCurrent(path) ? 'page' : undefined}>
              <Icon name={icon} />
              {label}
              {open > 0 && (path === '/matches' || path === '/more') && <Count of={open} />}
            </a>
          ))}
        </nav>
      </div>
      <header class="line top">
        <a href="/dashboard" class="name">
          <img src="/icon.svg" alt="" width="24" height="24" /> Purse
        </a>
        <span class="who">{ledger.profile()?.name}</span>
        <Status ledger={ledger} />
      </header>
      {ledger.profile() && <Keys ledger={ledger} />}
      <main>
        {ledger.profile() ? (
          <Page key={visit()} ledger={ledger} session={session} />
        ) : (
          <Fetching ledger={ledger} />
        )}
      </main>
    </div>
  )
}

/** How many things wait for a decision. */
const Count = ({ of }: { of: number }) => (
  <small class="count">
    {of > 99 ? '99+' : of}
    <span class="hidden"> to look at</span>
  </small>
)

/** The first copy of everything, which continues if it is interrupted. */
function Fetching({ ledger }: { ledger: Ledger }) {
  const { received, total } = ledger.progress() ?? { received: 0, total: null }
  return (
    <>
      <p role="status">
        {dotted(
          'Fetching your data …',
          total !== null && `${grouped(received)} of ${counted(total, 'transaction')}`,
        )}
      </p>
      <progress value={total ? received / total : undefined} aria-label="Fetching your data" />
    </>
  )
}

/** What is shown at an address that has no page. */
const Unknown = () => (
  <PageFrame title="No such page">
    <p>There is nothing at this address: the link may be incomplete, or of an earlier version.</p>
    <a href="/dashboard">Go to the overview</a>
  </PageFrame>
)

/** The pages for which a phone's navigation has no room. */
function More() {
  return (
    <PageFrame title="More">
      <article class="list">
        {links.map(
          ([path, label, icon, where]) =>
            where === 'wide-only' && (
              <a key={path} href={path} class="row">
                <Icon name={icon} />
                <span>
                  {label} {path === '/matches' && openMatches.get() > 0 && <Count of={openMatches.get()} />}
                </span>
                <Icon name="right" />
              </a>
            ),
        )}
      </article>
    </PageFrame>
  )
}

/** Whether there is a network, and what is waiting for it or for the person. */
function Status({ ledger }: { ledger: Ledger }) {
  const { isOnline } = useFollowed(connection).get()
  const isSaved = useFollowed(isStoring).get()
  const questions = ledger.conflicts().length + ledger.rejected().length
  const waiting = readyIn(ledger).length
  // A message that a change is saved would be wrong now.
  useLayoutEffect(() => void (questions > 0 && hush()), [questions])
  const text = dotted(
    isOnline ? 'Online' : 'Offline',
    !isSaved && 'the last change is not saved',
    waiting > 0 ? `${counted(waiting, 'change')} waiting` : questions === 0 && isSaved && 'all saved',
    questions > 0 && `${counted(questions, 'change')} to look at`,
  )
  return (
    <p role="status" class="status">
      <a href="/changes">{isOnline && isSaved && questions === 0 ? text : <mark>{text}</mark>}</a>
    </p>
  )
}
