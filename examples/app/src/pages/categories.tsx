import { useState } from 'preact/hooks'
import type { Ledger, LedgerCategory } from 'purse-client'
import { Button } from '../ui/button.tsx'
import { Choice, type Entries, Field } from '../ui/form.tsx'
import { type Edited, RowDialog } from '../ui/row-dialog.tsx'

const types = { expense: 'Expenses', income: 'Income' }
const labelOf = ({ name, type }: LedgerCategory) => (type === 'income' ? `${name} (income)` : name)

/** What money is spent on, and where it comes from. */
export function Categories({ ledger }: { ledger: Ledger }) {
  const [edited, setEdited] = useState<Edited<LedgerCategory>>()
  return (
    <article>
      <header class="line">
        <h2>Categories</h2>
        <Button label="Add category" isMain={false} onClick={() => setEdited('new')} />
      </header>
      <div class="chips">
        {ledger.categories().map((one) => (
          <Button key={one.key} label={labelOf(one)} isMain={false} onClick={() => setEdited(one)} />
        ))}
      </div>
      {edited && <CategoryDialog {...{ ledger, edited, onDone: () => setEdited(undefined) }} />}
    </article>
  )
}

type DialogProps = { ledger: Ledger; edited: Edited<LedgerCategory>; onDone: () => void }

function CategoryDialog(props: DialogProps) {
  const row = props.edited === 'new' ? undefined : props.edited
  const read = ({ name = '', type }: Entries) => ({ name, type: type as LedgerCategory['type'] })
  return (
    <RowDialog noun="category" {...props} read={read}>
      <Field label="Name" name="name" value={row?.name} maxLength={255} required autofocus />
      <Choice label="Kind" name="type" value={row?.type} options={Object.entries(types)} />
    </RowDialog>
  )
}
