import { type SQL, sql } from 'drizzle-orm'
import { type Database, runAll, runOne } from '../database/run.ts'
import { dayMs } from '../domain/dates.ts'

/** Longer than the idle timeout of a token: a client that is still signed in can use its cursor. */
const loggedDays = 100
const usersPerRead = 1_000
/** Entries that are forgotten in one transaction, so that other writers wait for milliseconds only. */
const entriesPerPart = 5_000
/** Each is a round trip, and a Worker may make a thousand in a run; the next run forgets the rest. */
const requestsPerRun = 900

/**
 * Removes what is older than a hundred days from the log of changes. Of each user, the last of these stays and becomes
 * `forgotten`, so that numbers never go down and a cursor from before it is refused. Walks from user to user by the
 * primary key, so that no index on the time is needed. Returns how many were removed, for the log.
 */
export async function trimChangeLog(db: Database, now: Date): Promise<Record<string, number>> {
  const before = now.getTime() - loggedDays * dayMs
  let due: number[] = []
  let last: number | undefined = 0
  let changes = 0
  for (let request = 0; request < requestsPerRun; request++) {
    if (due.length > 0) {
      const { forgotten, left } = await trim(db, due, before)
      changes += forgotten
      due = left
    } else {
      if (last === undefined) break
      const users: DueUser[] = await runOne(db, db.all<DueUser>(nextUsers(last, before)))
      due = users.filter(({ isDue }) => isDue).map(({ id }) => id)
      last = users.length < usersPerRead ? undefined : users.at(-1)?.id
    }
  }
  return { changes }
}

type DueUser = { id: number; isDue: number }

/** True for a user whose oldest entry, leaving out the `forgotten` one, is too old. */
const isDue = (userId: SQL, before: number) => sql`exists (
  select 1 from (select noun, at from changes where user_id = ${userId} order by seq limit 2)
   where noun <> 'forgotten' and at <= ${before})`

function nextUsers(last: number, before: number): SQL {
  return sql`
    with recursive users_of_log(id) as (
      select min(user_id) from changes where user_id > ${last}
       union all
      select (select min(user_id) from changes where user_id > id) from users_of_log where id is not null
       limit ${usersPerRead})
    select id, ${isDue(sql`id`, before)} as isDue from users_of_log where id is not null`
}

/** Removes the oldest entries of some users; returns how many, and which of the users have more that are too old. */
async function trim(db: Database, userIds: number[], before: number) {
  const ids = sql`(select value as id from json_each(${JSON.stringify(userIds)}))`
  const share = Math.ceil(entriesPerPart / userIds.length)
  const { removed, left } = await runAll(db, {
    removed: db.run(sql`
      delete from changes where (user_id, seq) in (
        select user_id, seq
          from (select user_id, seq, max(iif(at <= ${before}, seq, null)) over (partition by user_id) as last_old
                  from ${ids} cross join changes on user_id = id
                 where seq <= coalesce(
                   (select seq from changes own where own.user_id = id order by seq limit 1 offset ${share}),
                   9007199254740991))
         where seq < last_old)`),
    marked: db.run(sql`
      update changes set noun = 'forgotten'
       where (user_id, seq) in (select id, (select min(seq) from changes where user_id = id) from ${ids})
         and at <= ${before}`),
    left: db.all<{ id: number }>(sql`select id from ${ids} where ${isDue(sql`id`, before)}`),
  })
  return { forgotten: removed.rowsAffected, left: left.map(({ id }) => id) }
}
