import { expect, test } from 'vitest'
import { holdTime, passServerIdleLimit, serveStreams } from './fixtures/streams.ts'

const { write, written, writeAndKeep } = serveStreams()

test('a stream that the server has ended is replaced, and the write is executed once', async () => {
  holdTime()
  await writeAndKeep()
  await passServerIdleLimit()
  expect(await write(3)).toMatchObject({ roundTrips: 2 })
  expect(await written()).toEqual([1, 2, 3])
})
