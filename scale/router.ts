import * as z from 'zod/mini'
import { email as emailField } from '../src/contract/fields.ts'
import { reportOf } from '../src/domain/error-report.ts'
import { parseBearer } from '../src/domain/tokens.ts'
import worker from '../src/worker.ts'
import { type Home, keyOf } from './directory.ts'
import { databaseOf } from './ids.ts'
import { directoryOf, newcomersHome, type Place, Places, type RouterEnv } from './places.ts'
import { signInRoute } from './sign-in.ts'

/** Passes a request to the whole Worker, with the database of that place. */
type Ask = (place: Place, request: Request) => Promise<Response>

const byAddress = /^\/api\/(register|login|forgot-password|reset-password)\/?$/
const byUser = /^\/api\/(?:email\/(?:verify|disown)|reminders\/unsubscribe)\/([1-9]\d{0,14})\//
const byProvider = /^\/api\/auth\/idp\/callback\/?$/
/** The Worker refuses longer ones from everybody. */
const longestBody = 512 * 1024
const mostRemembered = 10_000

/**
 * The Worker in front of several databases, each with some of the users. It finds out which of them a request or a queue
 * message is about, and hands it to the Worker for one database, with that database in its bindings; a cron run goes to
 * all of them.
 */
export default {
  async fetch(request: Request, env: RouterEnv, context: ExecutionContext): Promise<Response> {
    const ask: Ask = async (place, asked) =>
      worker.fetch(asked as Request<unknown, IncomingRequestCfProperties>, Places.of(env).at(place), context)
    try {
      if (byProvider.test(new URL(request.url).pathname))
        return await signInRoute.fetch(request, env, context)
      return await route(request, env, ask)
    } catch (error) {
      console.error(JSON.stringify({ event: 'directory failed', ...reportOf(error) }))
      return ask('nowhere', request)
    }
  },

  async queue(batch: MessageBatch, env: RouterEnv, context: ExecutionContext): Promise<void> {
    const byHome = Map.groupBy(batch.messages, ({ body }) => stamp.safeParse(body).data?.home ?? 0)
    await Promise.all(
      [...byHome].map(([home, messages]) => {
        const own = { queue: batch.queue, metadata: batch.metadata, messages } as unknown as MessageBatch
        return worker.queue(own, Places.of(env).at(home), context)
      }),
    )
  },

  async scheduled(controller: ScheduledController, env: RouterEnv, context: ExecutionContext): Promise<void> {
    const runs = Places.of(env).all.map((place) => worker.scheduled(controller, place, context))
    const failed = (await Promise.allSettled(runs)).filter((run) => run.status === 'rejected')
    if (failed[0]) throw failed[0].reason
  },
}

const stamp = z.object({ home: z.int() })

async function route(request: Request, env: RouterEnv, ask: Ask): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (byAddress.test(pathname)) return askByAddress(request, env, ask)
  const [, userId] = byUser.exec(pathname) ?? []
  if (userId) return askByUser(Number(userId), request, env, ask)
  const bearer = parseBearer(request.headers.get('Authorization') ?? undefined)
  if (bearer) return askByToken(bearer.tokenId, request, env, ask)
  return ask('nobodys', request)
}

/**
 * A token's id tells which database created it, so nothing has to be looked up: it is one round trip, as with a single
 * database. The directory is asked only if the token is unknown there, since it may have moved.
 */
async function askByToken(id: number, request: Request, env: RouterEnv, ask: Ask): Promise<Response> {
  const { moved } = Places.of(env)
  const home = moved.get(id) ?? databaseOf(id)
  const answer = await ask(home, request.clone())
  if (answer.status !== 401) return answer
  const found = await directoryOf(env).find(keyOf.token(id))
  if (found === undefined || found === home) return answer
  if (found === 'moving') return ask('nowhere', request)
  if (moved.size >= mostRemembered) moved.clear()
  moved.set(id, found)
  return ask(found, request)
}

/** Registering settles the address, whatever comes of it: two at once go to the same database, which refuses one. */
async function askByAddress(request: Request, env: RouterEnv, ask: Ask): Promise<Response> {
  const address = await addressIn(request)
  if (!address) return ask('nobodys', request)
  const directory = directoryOf(env)
  const key = await keyOf.address(env.DIRECTORY_SECRET, address)
  const isNew = new URL(request.url).pathname.startsWith('/api/register')
  const home = isNew ? await directory.settle(key, newcomersHome(env, key)) : await directory.find(key)
  return ask(placeOf(home), request)
}

async function askByUser(id: number, request: Request, env: RouterEnv, ask: Ask): Promise<Response> {
  const home = await directoryOf(env).find(keyOf.user(id))
  return ask(placeOf(home ?? databaseOf(id)), request)
}

/** For unknown users, nobody's database does the same work as any other, which reveals nothing. */
function placeOf(home: Home): Place {
  return home === 'moving' ? 'nowhere' : (home ?? 'nobodys')
}

/** The address in the body, as the product reads it; undefined if it will find none. */
async function addressIn(request: Request): Promise<string | undefined> {
  let text = ''
  const { body } = request.clone()
  if (!body) return undefined
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.length > longestBody) return undefined
  }
  try {
    return emailField.safeParse(JSON.parse(text)?.email).data
  } catch {
    return undefined
  }
}
