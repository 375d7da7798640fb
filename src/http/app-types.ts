import type { Owner } from '../database/owner.ts'
import type { KeptLayout } from '../database/schema.ts'
import type { Deps } from '../deps.ts'
import type { RequestDeadline } from '../shared/deadline.ts'
import type { Meter } from '../shared/meter.ts'
import type { Memory } from './memory.ts'

/**
 * Hono's types for this app. `owner` is set on every route that is not public, `memory` where a body is read. Variables are read with `c.get`: `c.var`
 * copies them all, every time.
 */
export type App = {
  Bindings: Env
  Variables: {
    requestId: string
    meter: Meter
    deadline: RequestDeadline
    deps: Deps
    owner: Owner
    memory: Memory
    /** What is remembered of the user's files; set where files are imported. */
    layouts: KeptLayout[]
  }
}
