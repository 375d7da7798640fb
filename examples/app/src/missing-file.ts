/** The failures after which this tab has loaded the app again. */
const key = 'purse.reloaded-for'

/** True once for each failure in a tab: a deployment may have replaced a file, and then loading the app again helps. */
export function mayReload(failure: string, storage: Pick<Storage, 'getItem' | 'setItem'>): boolean {
  const known: string[] = JSON.parse(storage.getItem(key) ?? '[]')
  if (known.includes(failure)) return false
  storage.setItem(key, JSON.stringify([...known, failure]))
  return true
}
