export { type Database, openDatabase } from '../../src/database/client.ts'
