/** Tells the inbox or the identity provider to fail, or with DELETE to work again. */
export async function setFault(
  part: string,
  method: 'POST' | 'DELETE',
  order?: Record<string, unknown>,
): Promise<void> {
  const response = await fetch(`${part}/faults`, { method, body: order ? JSON.stringify(order) : null })
  const text = await response.text()
  if (!response.ok) throw new Error(`The fault was refused: ${text}`)
}
