import type { Context } from 'hono'
import type { Owner } from '../database/owner.ts'
import type { KeptLayout, LinkableRow } from '../database/schema.ts'
import type { Deps } from '../deps.ts'
import type { CalendarDate } from '../domain/dates.ts'
import type { Meter } from '../domain/meter.ts'
import type { AccountKind } from '../domain/types.ts'
import type { RequestDeadline } from '../failures/deadline.ts'
import type { Memory } from './memory.ts'

/**
 * Hono's types for this app. `owner` is set on routes that are not public, `memory` where a body is read. Read variables
 * with `c.get`, since each use of `c.var` copies all of them.
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
    /** The user's stored layouts; set on routes that import files. */
    layouts: KeptLayout[]
    /** The kinds of those of the user's accounts that have one; set where the layouts are. */
    accountKinds: Map<number, AccountKind>
    /** The user's recurring transactions whose occurrences rows may be; set where the layouts are. */
    linkable: LinkableRow[] | undefined
    /** The date in the user's time zone; set where the layouts are. */
    today: CalendarDate
  }
}

/** The context of a request, for code outside of routes. */
export type AppContext = Context<App>
