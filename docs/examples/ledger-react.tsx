/** A ledger in React without a hook: reads answer at once, so a component may call them while it renders. */
import type { Ledger } from 'purse-client'
import type { Root } from 'react-dom/client'

/** Renders an app, and renders it again whenever its ledger changes. Returns a function that stops this. */
export function draw(root: Root, ledger: Ledger): () => void {
  const paint = () => root.render(<Balances ledger={ledger} />)
  paint()
  return ledger.subscribe(paint)
}

function Balances({ ledger }: { ledger: Ledger }) {
  return (
    <ul aria-label="Accounts">
      {ledger.accounts().map(({ key, name, balance, waits }) => (
        <li key={key}>
          {name}: {balance.toFixed(2)} {waits && <small>{waits}</small>}
          <button type="button" onClick={() => ledger.remove('account', key)}>
            Delete
          </button>
        </li>
      ))}
    </ul>
  )
}
