/** A small SPA without a framework: signs in, shows balances, records an expense. */
import { ApiError, ConnectionError, createClient, newClientId, unwrap, webStorageTokens } from 'purse-client'

export const client = createClient({
  baseUrl: 'http://127.0.0.1:8787',
  tokens: webStorageTokens(localStorage),
  onSignedOut: () => show('#sign-in'),
})
const { api } = client

export async function signIn(form: HTMLFormElement): Promise<void> {
  const fields = new FormData(form)
  await tryIn(form, async () => {
    await client.signIn({ email: String(fields.get('email')), password: String(fields.get('password')) })
    await showDashboard()
  })
}

export async function showDashboard(): Promise<void> {
  const { accounts, total_balance, monthly_summary } = await unwrap(api.summary.$get())
  // Amounts come as text ("12.50"), balances and totals as numbers.
  const lines = accounts.map(({ name, balance }) => `${name}: ${balance.toFixed(2)}`)
  text('#balances', [...lines, `Total: ${total_balance.toFixed(2)}`].join('\n'))
  text('#month', `Spent this month: ${monthly_summary.expense.toFixed(2)}`)
  show('#dashboard')
}

/** One id for each form that is filled in: however often it is sent, automatically or by hand, it is stored once. */
export async function recordExpense(form: HTMLFormElement): Promise<void> {
  const fields = new FormData(form)
  form.dataset.clientId ??= newClientId()
  const expense = {
    client_id: form.dataset.clientId,
    type: 'expense',
    account_id: Number(fields.get('account_id')),
    category_id: Number(fields.get('category_id')),
    amount: String(fields.get('amount')),
    description: String(fields.get('description')),
    transaction_date: String(fields.get('transaction_date')),
  } as const
  await tryIn(form, async () => {
    let answer = await api.transactions.$post({ json: expense })
    if (answer.status === 409) {
      const { duplicates } = await answer.json()
      const question = `That looks like “${duplicates[0]?.description}”. Record it all the same?`
      if (!confirm(question)) return
      answer = await api.transactions.$post({ json: { ...expense, force: true } })
    }
    const { id } = await unwrap(answer)
    // 200: it was stored before, and the response was lost. The form may have been changed since.
    if (answer.status === 200) await unwrap(api.transactions[':id'].$put({ param: { id }, json: expense }))
    delete form.dataset.clientId
    await showDashboard()
  })
}

/** Does what a form asks for, and shows errors beside the fields. */
async function tryIn(form: HTMLFormElement, action: () => Promise<void>): Promise<void> {
  // A field that is marked as invalid keeps the browser from submitting the form, so editing it removes the mark.
  form.oninput = () => clearMarks(form)
  clearMarks(form)
  try {
    await action()
  } catch (error) {
    if (error instanceof ConnectionError) return text('#notice', 'You seem to be offline.')
    if (!(error instanceof ApiError)) throw error
    const wait =
      error.retryAfterSeconds === undefined ? '' : ` Try again in ${error.retryAfterSeconds} seconds.`
    text('#notice', `${error.message}${wait}`)
    for (const [field, texts] of Object.entries(error.errors)) {
      const input = form.elements.namedItem(field)
      if (input instanceof HTMLInputElement) input.setCustomValidity(texts.join(' '))
    }
    form.reportValidity()
  }
}

function clearMarks(form: HTMLFormElement): void {
  for (const input of form.elements) if (input instanceof HTMLInputElement) input.setCustomValidity('')
}

function show(page: string): void {
  for (const section of document.querySelectorAll('section')) section.hidden = !section.matches(page)
}

function text(place: string, words: string): void {
  const element = document.querySelector(place)
  if (element) element.textContent = words
}
