import { useState } from 'preact/hooks'
import type { Ledger, LedgerCategory } from 'purse-client'
import { Dialog } from '../ui/dialog.tsx'
import { type Entries, Field, Form, Select } from '../ui/form.tsx'
import { say } from '../ui/toast.tsx'
import { Waits } from '../ui/waits.tsx'

const types = { expense: 'Expenses', income: 'Income' } as const

export function Categories({ ledger }: { ledger: Ledger }) {
  const [edited, setEdited] = useState<LedgerCategory | 'new'>()
  return (
    <section>
      <h2>Categories</h2>
      <div class="chips">
        {ledger.categories().map((category) => (
          <button key={category.key} type="button" class={category.type} onClick={() => setEdited(category)}>
            {category.name} <Waits of={category} />
          </button>
        ))}
        <button type="button" onClick={() => setEdited('new')}>
          + Add category
        </button>
      </div>
      {edited && <CategoryForm ledger={ledger} category={edited} onDone={() => setEdited(undefined)} />}
    </section>
  )
}

type FormProps = { ledger: Ledger; category: LedgerCategory | 'new'; onDone: () => void }

export function CategoryForm({ ledger, category, onDone }: FormProps) {
  const row = category === 'new' ? undefined : category
  const save = async ({ name = '', type }: Entries) => {
    const entered = { name, type: type as LedgerCategory['type'] }
    if (row) await ledger.update('category', row.key, entered)
    else await ledger.create('category', entered)
    onDone()
    say(row ? `${name} is changed.` : `${name} is added.`, ledger.undo)
  }
  const remove = async () => {
    if (!row) return
    await ledger.remove('category', row.key)
    onDone()
    say(`${row.name} is deleted; its transactions stay.`, ledger.undo)
  }
  const actions = row && (
    <button type="button" class="danger" onClick={remove}>
      Delete
    </button>
  )
  return (
    <Dialog title={row ? 'Change category' : 'Add category'} onClose={onDone}>
      <Form submit={row ? 'Save' : 'Add'} onSubmit={save} actions={actions}>
        <Field label="Name" name="name" value={row?.name} maxLength={255} required />
        <Select label="For" name="type" value={row?.type} options={Object.entries(types)} />
      </Form>
    </Dialog>
  )
}
