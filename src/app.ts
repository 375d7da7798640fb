import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { readConfig } from './config.ts'
import { openDatabase } from './db/client.ts'
import type { App } from './http/app-types.ts'
import { authenticate } from './http/authenticate.ts'
import { allowOrigin } from './http/cors.ts'
import { answerFailure } from './http/errors.ts'
import { accountRoutes } from './http/routes/accounts.ts'
import { authRoutes } from './http/routes/auth.ts'
import { categoryRoutes } from './http/routes/categories.ts'
import { healthRoutes } from './http/routes/health.ts'
import { meRoutes } from './http/routes/me.ts'
import { summaryRoutes } from './http/routes/summary.ts'
import { transactionRoutes } from './http/routes/transactions.ts'

const preflightMaxAgeSeconds = 7_200

const app = new Hono<App>()

app.use(requestId())
app.use(async (c, next) => {
  const config = readConfig(c.env)
  const random = (bytes: Uint8Array) => crypto.getRandomValues(bytes)
  c.set('deps', { config, db: openDatabase(config.database), now: new Date(), random })
  await next()
})
app.use(secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } }))
app.use(
  cors({
    origin: allowOrigin,
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposeHeaders: ['Retry-After', 'X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'Allow'],
    maxAge: preflightMaxAgeSeconds,
  }),
)
app.use(async (c, next) => {
  await next()
  c.header('Cache-Control', 'no-store')
})
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) =>
      c.json({ message: 'Method Not Allowed' }, 405, { Allow: methods.join(', ') }),
  }),
)
app.use('/api/*', authenticate)

/** Every route of the API. Its type is what a typed client is made from. */
export const routes = app
  .route('/api/health', healthRoutes)
  .route('/api', authRoutes)
  .route('/api/me', meRoutes)
  .route('/api/accounts', accountRoutes)
  .route('/api/categories', categoryRoutes)
  .route('/api/transactions', transactionRoutes)
  .route('/api/summary', summaryRoutes)

app.notFound((c) => c.json({ message: 'Not Found' }, 404))
app.onError(answerFailure)

export { app }
