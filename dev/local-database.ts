import { startSqld } from './sqld/server.ts'
import type { StateFolder } from './state-folder.ts'

/** Starts the database of `npm run dev`, which is kept in the state folder. */
export function startLocalDatabase(state: StateFolder, port: number) {
  return startSqld({ directory: state.path('sqld'), port, checkpointInterval: 60 })
}
