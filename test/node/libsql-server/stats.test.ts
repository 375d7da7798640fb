import { describe, expect, test } from 'vitest'
import { useServer } from './local-server.ts'

const server = useServer({ template: 'ledger' })

const LEDGER = `
  CREATE TABLE accounts (id INTEGER PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE entries (id INTEGER PRIMARY KEY, account_id REFERENCES accounts ON DELETE CASCADE, amount INTEGER);
  CREATE INDEX entries_account ON entries (account_id);
  CREATE TRIGGER entry_made AFTER INSERT ON entries BEGIN
    UPDATE accounts SET balance = balance + new.amount WHERE id = new.account_id;
  END;
  INSERT INTO accounts (id) VALUES (1), (2);
`

async function newLedger() {
  await server
    .client('ledger')
    .executeMultiple(LEDGER)
    .catch(() => undefined)
  const name = server.newName()
  const client = server.client(name)
  await client.execute('SELECT 1')
  await server.resetStats(name)
  return { name, client }
}

const insert = (amount: number) => ({
  sql: 'INSERT INTO entries (account_id, amount) VALUES (1, ?)',
  args: [amount],
})
const stepsOf = async (name: string, sql: string) => {
  const { bySql } = await server.stats(name)
  return bySql.find((counted) => counted.sql === sql)?.steps ?? 0
}

describe('The statistics', () => {
  test('count round trips and statements, leaving out those that only begin and end transactions', async () => {
    const { name, client } = await newLedger()
    await client.execute('SELECT 1')
    await client.batch([insert(1), insert(2), 'SELECT * FROM accounts'], 'write')
    const transaction = await client.transaction('write')
    await transaction.execute(insert(3))
    await transaction.execute(insert(4))
    await transaction.commit()
    expect(await server.stats(name)).toMatchObject({ requests: 5, statements: 6 })
    expect((await server.stats(name)).bySql.map(({ count }) => count).sort()).toEqual([1, 1, 4])
  })

  test('do not count themselves, and start from nothing after a reset', async () => {
    const { name, client } = await newLedger()
    await client.execute('SELECT 1')
    await server.stats(name)
    await server.resetStats(name)
    expect(await server.stats(name)).toEqual({
      requests: 0,
      requestBytes: 0,
      responseBytes: 0,
      statements: 0,
      steps: 0,
      rowsWritten: 0,
      bySql: [],
    })
  })

  test('count steps only from the first reset on', async () => {
    const { name, client } = await newLedger()
    const fresh = server.newName()
    await server.client(fresh).execute('SELECT 1')
    expect(await server.stats(fresh)).toMatchObject({ requests: 1, statements: 1, steps: 0 })
    await client.execute('SELECT 1')
    expect((await server.stats(name)).steps).toBeGreaterThan(0)
  })

  test('count no work any more after a reset that says so, since counting takes time', async () => {
    const { name, client } = await newLedger()
    await fetch(`${server.url}/${name}/stats?work=no`, { method: 'DELETE' })
    await client.execute(insert(1))
    expect(await server.stats(name)).toMatchObject({ requests: 1, statements: 1, steps: 0, bySql: [] })
    await server.resetStats(name)
    await client.execute(insert(1))
    expect((await server.stats(name)).steps).toBeGreaterThan(0)
  })

  test('count the bytes that came and went', async () => {
    const { name } = await newLedger()
    const body = '{"requests":[{"type":"get_autocommit"},{"type":"close"}]}'
    const answer = await (await server.post(name, body)).text()
    expect(await server.stats(name)).toMatchObject({
      requestBytes: body.length,
      responseBytes: answer.length,
    })
  })

  test('count the rows written, by triggers and cascades as well, and none where they are only read', async () => {
    const { name, client } = await newLedger()
    const written = async (statement: string) => {
      await server.resetStats(name)
      await client.execute(statement)
      return (await server.stats(name)).rowsWritten
    }
    // Each entry and, by the trigger, its account.
    expect(await written('INSERT INTO entries (account_id, amount) VALUES (1, 5), (1, 6), (2, 7)')).toBe(6)
    expect(await written('SELECT * FROM entries')).toBe(0)
    expect(await written('DELETE FROM entries WHERE amount = 99')).toBe(0)
    expect(await written('DELETE FROM accounts WHERE id = 1')).toBe(3)
  })

  test('of the same work are the same, in whichever database and however often', async () => {
    const figures = []
    for (const _ of [1, 2, 3]) {
      const { name, client } = await newLedger()
      for (const amount of [1, 20, 300]) {
        await client.batch(
          [insert(amount), 'SELECT * FROM accounts', 'SELECT sum(amount) FROM entries'],
          'write',
        )
      }
      await client.execute('DELETE FROM accounts WHERE id = 1')
      figures.push(await server.stats(name))
    }
    expect(figures[0]?.steps).toBeGreaterThan(0)
    expect(figures[1]).toEqual(figures[0])
    expect(figures[2]).toEqual(figures[0])
  })

  test('grow with the rows a statement goes through', async () => {
    const { name, client } = await newLedger()
    const scan = 'SELECT count(*) FROM entries WHERE amount > 0'
    const look = 'SELECT amount FROM entries WHERE id = 1'
    const steps = async (sql: string) => {
      await server.resetStats(name)
      await client.execute(sql)
      return stepsOf(name, sql)
    }
    await client.batch(Array(10).fill(insert(1)), 'write')
    const [scanned10, looked10] = [await steps(scan), await steps(look)]
    await client.batch(Array(90).fill(insert(1)), 'write')
    const [scanned100, looked100] = [await steps(scan), await steps(look)]
    expect(scanned100 - scanned10).toBeGreaterThanOrEqual(90)
    expect(looked100).toBe(looked10)
  })

  test('include what triggers and cascades do', async () => {
    const { name, client } = await newLedger()
    const withTrigger = insert(1).sql
    await client.execute(insert(1))
    const before = await stepsOf(name, withTrigger)
    await client.execute('DROP TRIGGER entry_made')
    await server.resetStats(name)
    await client.execute(insert(1))
    expect(await stepsOf(name, withTrigger)).toBeLessThan(before)

    const cascade = 'DELETE FROM accounts WHERE id = 1'
    await client.execute('DELETE FROM accounts WHERE id = 2')
    const nothingToCascade = await stepsOf(name, 'DELETE FROM accounts WHERE id = 2')
    await client.batch(Array(50).fill(insert(1)), 'write')
    await client.execute(cascade)
    expect((await stepsOf(name, cascade)) - nothingToCascade).toBeGreaterThan(50)
  })

  test('put the most expensive statement first', async () => {
    const { name, client } = await newLedger()
    await client.batch(['SELECT 1', insert(1), 'SELECT 2'], 'write')
    expect((await server.stats(name)).bySql[0]?.sql).toBe(insert(1).sql)
  })

  test('count no steps for a statement that cannot start, though it has run before', async () => {
    const { name, client } = await newLedger()
    await client.execute('SELECT * FROM entries')
    await client.execute('DROP TABLE entries')
    await server.resetStats(name)
    await client.execute('SELECT * FROM entries').catch(() => undefined)
    expect(await server.stats(name)).toMatchObject({ statements: 1, steps: 0 })
  })

  test('count statements that fail, too', async () => {
    const { name, client } = await newLedger()
    await client.execute('INSERT INTO accounts (id) VALUES (1)').catch(() => undefined)
    expect(await server.stats(name)).toMatchObject({ requests: 1, statements: 1 })
    expect((await server.stats(name)).steps).toBeGreaterThan(0)
  })
})

describe('Latency', () => {
  const setLatency = (name: string, body: string) =>
    fetch(`${server.url}/${name}/latency`, { method: 'POST', body })

  test('makes a database as slow as a distant one, and no other', async () => {
    const [distant, near] = [await newLedger(), await newLedger()]
    expect((await setLatency(distant.name, '{"ms": 300}')).status).toBe(204)
    const order: string[] = []
    await Promise.all([
      distant.client.execute('SELECT 1').then(() => order.push('distant')),
      near.client.execute('SELECT 1').then(() => order.push('near')),
    ])
    expect(order).toEqual(['near', 'distant'])
    await setLatency(distant.name, '{"ms": 0}')
    await distant.client.execute('SELECT 1')
  })

  test.each(['', '{}', '{"ms": "1"}', '{"ms": -1}', '{"ms": 1e9}', '[]', 'null'])(
    'of %j is refused',
    async (body) => {
      expect((await setLatency((await newLedger()).name, body)).status).toBe(400)
    },
  )
})
