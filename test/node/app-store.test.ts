import { expect, test } from 'vitest'
import { keptRead, observable } from '../../examples/app/src/store.ts'

test('what a page reads of a ledger is kept until the ledger changes or something else is read', () => {
  const ledger = observable(1)
  const asked: number[] = []
  const timesLedger = keptRead((followed: typeof ledger, factor: number) => {
    asked.push(factor)
    return followed.get() * factor
  })
  expect([timesLedger(ledger, 3), timesLedger(ledger, 3), asked]).toEqual([3, 3, [3]])
  expect([timesLedger(ledger, 4), timesLedger(ledger, 4), asked]).toEqual([4, 4, [3, 4]])
  ledger.set(2)
  expect([timesLedger(ledger, 4), timesLedger(ledger, 4), asked]).toEqual([8, 8, [3, 4, 4]])
})
