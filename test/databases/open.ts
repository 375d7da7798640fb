export { openDatabase } from '../../src/database/client.ts'

export type { Database } from '../../src/database/run.ts'
