export { type Database, openDatabase } from '../../src/db/client.ts'
