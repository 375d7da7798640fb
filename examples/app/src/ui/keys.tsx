import { useEffect, useRef, useState } from 'preact/hooks'
import type { Ledger } from 'purse-client'
import { TransactionDialog } from '../pages/transaction-dialog.tsx'
import { go } from '../router.ts'
import { observable, useFollowed } from '../store.ts'
import { Dialog } from './dialog.tsx'
import { Table } from './table.tsx'
import { undoNewest } from './toast.tsx'

const storedAs = 'purse.keys'
/** Single keys can be switched off: speech input and slips of the hand press them. */
const hasKeys = observable(localStorage.getItem(storedAs) !== 'off')

function choose(isOn: boolean): void {
  localStorage.setItem(storedAs, isOn ? 'on' : 'off')
  hasKeys.set(isOn)
}

const help = [
  ['/', 'Search the transactions'],
  ['n', 'Add a transaction'],
  ['?', 'Show these keys'],
  ['Ctrl+Z', 'Undo the last change'],
  ['Escape', 'Close what is open'],
]

/** Where a key is text, or belongs to what is open. */
const elsewhere = 'input:not([type=checkbox], [type=radio]), select, textarea, dialog'

/** The keys of the whole app, and what they open. */
export function Keys({ ledger }: { ledger: Ledger }) {
  const [opened, setOpened] = useState<'help' | 'new'>()
  useEffect(() => {
    const actions: Record<string, () => unknown> = {
      '/': search,
      n: () => (ledger.accounts().length > 0 ? setOpened('new') : go('/accounts')),
      '?': () => setOpened('help'),
    }
    const press = (event: KeyboardEvent) => {
      const { key, altKey, ctrlKey, metaKey, shiftKey, target } = event
      if (document.querySelector('dialog[open]') || (target as Element).closest?.(elsewhere)) return
      const isPlain = !altKey && !ctrlKey && !metaKey
      const isUndo = (ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === 'z'
      const act = isUndo ? () => undoNewest(ledger) : isPlain && hasKeys.get() && actions[key]
      if (!act) return
      event.preventDefault()
      void act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [ledger])
  const close = () => setOpened(undefined)
  if (opened === 'new') return <TransactionDialog {...{ ledger, edited: 'new', onDone: close }} />
  return opened === 'help' ? <Help onDone={close} /> : null
}

function search(): void {
  const here = document.querySelector<HTMLInputElement>('[type=search]')
  if (here) here.focus()
  else go('/transactions', { focus: '[type=search]' })
}

function Help({ onDone }: { onDone: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  return <Dialog title="Keys" {...{ dialog, onDone }} children={<KeyList />} />
}

/** The keys, and a switch for those of one letter. */
export function KeyList() {
  const isOn = useFollowed(hasKeys).get()
  return (
    <>
      <Table head={['Key', 'What it does']} rows={help} />
      <label>
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => choose(currentTarget.checked)}
        />{' '}
        Use the keys of one letter
      </label>
    </>
  )
}
