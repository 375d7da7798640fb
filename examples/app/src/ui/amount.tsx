import { money } from '../amounts.ts'

/** An amount in one piece: one that is too long for its place is set smaller. */
export const Amount = ({ text, class: name = '' }: { text: string; class?: string }) => (
  <strong class={`amount ${name}`} style={`--length: ${text.length}`} children={text} />
)

type Row = { type: 'income' | 'expense' | 'transfer'; amount: string; description: string | null }
type Props = { row: Row; details: (string | null | undefined)[]; isMuted?: boolean }

/** An amount as it changes the account. */
export const signed = ({ type, amount }: Pick<Row, 'type' | 'amount'>): string =>
  type === 'income' ? `+${money(amount)}` : money(`-${amount}`)

/** A row as the service shows it, that may not be in the ledger. */
export const Movement = ({ row, details, isMuted }: Props) => (
  <div class={isMuted ? 'row muted' : 'row'}>
    <span>
      <bdi>{row.description ?? 'Without a description'}</bdi>
      {details.map((text) => text && <small key={text}>{text}</small>)}
    </span>
    <Amount class={row.type} text={signed(row)} />
  </div>
)
