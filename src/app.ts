import type { Context, Next } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import { requestId } from 'hono/request-id'
import { secureHeaders } from 'hono/secure-headers'
import { Hono } from 'hono/tiny'
import { accountRoutes } from './accounts/routes.ts'
import { addressLinkRoutes, ownAddressRoutes } from './auth/address-routes.ts'
import { emailVerificationRoutes } from './auth/email-verification-routes.ts'
import { identityProviderRoutes } from './auth/identity-provider-routes.ts'
import { passwordRoutes } from './auth/password-routes.ts'
import { authRoutes } from './auth/routes.ts'
import { tokenRoutes } from './auth/token-routes.ts'
import { balanceCheckRoutes } from './balance-checks/routes.ts'
import { categoryRoutes } from './categories/routes.ts'
import { readConfig } from './config.ts'
import { createDeps } from './deps.ts'
import { handleError } from './error-handler.ts'
import { exportRoutes } from './export/routes.ts'
import { deadlineAfter } from './failures/deadline.ts'
import { feedRoutes } from './feed/routes.ts'
import type { App } from './http/app-types.ts'
import { authenticate } from './http/authenticate.ts'
import { stripNotModified } from './http/conditional-get.ts'
import { crossOrigin } from './http/cross-origin.ts'
import { refuseDryRun } from './http/dry-run.ts'
import { observe } from './http/observe.ts'
import { refusePreconditions } from './http/preconditions.ts'
import { generalLimit } from './http/rate-limits.ts'
import { discardRest } from './http/request-body.ts'
import { parseBearer } from './identity/tokens.ts'
import { importHistoryRoutes, importRoutes } from './imports/routes.ts'
import { matchRoutes } from './matches/routes.ts'
import { recurringRoutes } from './recurring/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { documentRoutes } from './service/document-route.ts'
import { healthRoutes } from './service/health-route.ts'
import { linkRoutes } from './service/links-route.ts'
import { appPage } from './service/page-route.ts'
import { summaryRoutes } from './summary/routes.ts'
import { syncRoutes } from './sync/routes.ts'
import { transactionRoutes } from './transactions/routes.ts'
import { suggestionRoutes } from './transactions/suggestion-routes.ts'
import { uploadRoutes } from './upload/routes.ts'
import { reminderRoutes } from './users/reminder-routes.ts'
import { meRoutes } from './users/routes.ts'

function refuseMethod(c: Context<App>, methods: string[]) {
  return c.json({ message: 'Method Not Allowed' }, 405, { Allow: methods.join(', ') })
}

/** A method that a fixed path lacks is a 405 even if a pattern has it: `GET /api/categories/suggest`. */
async function methodsOfFixedPaths(c: Context<App>, next: Next) {
  const path = c.req.path.replace(/\/$/, '')
  const methods = app.routes.flatMap(({ method, path: own }) =>
    own === path && method !== 'ALL' ? [method] : [],
  )
  if (methods.includes('GET')) methods.push('HEAD')
  if (methods.length > 0 && !methods.includes(c.req.method)) return refuseMethod(c, [...new Set(methods)])
  await next()
}

/** Responses are data, which browsers must not render. */
const jsonPolicy = "default-src 'none'; frame-ancestors 'none'"

const app = new Hono<App>({ strict: false })

app.use(discardRest)
// Request ids of clients are ignored, since they would be logged.
app.use(requestId({ limitLength: 0 }))
app.use(observe)
app.use(stripNotModified)
app.use(secureHeaders())
app.use(async (c, next) => {
  await next()
  const { headers } = c.res
  // Responses with an ETag set Cache-Control, and pages of links in emails set a policy.
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store')
  if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', jsonPolicy)
})
app.use(async (c, next) => {
  const deadline = deadlineAfter(readConfig(c.env).budgets.requestMs)
  c.set('deadline', deadline)
  const waitUntil = (promise: Promise<unknown>) => c.executionCtx.waitUntil(promise)
  const writer = parseBearer(c.req.header('Authorization')) ?? 'service'
  c.set('deps', createDeps(c.env, { meter: c.get('meter'), waitUntil, deadline, writer }))
  await next()
})
app.use(crossOrigin)
app.use(methodNotAllowed({ app, onMethodNotAllowed: refuseMethod }))
app.use(methodsOfFixedPaths)
app.use('/api/*', authenticate)
app.use('/api/*', generalLimit)
app.use('/api/*', refuseDryRun)
app.use('/api/*', refusePreconditions)

/** All routes of the API. The types of clients are derived from its type. */
export const routes = app
  .route('/api', linkRoutes)
  .route('/api/health', healthRoutes)
  .route('/api/openapi.json', documentRoutes)
  .route('/api', authRoutes)
  .route('/api', passwordRoutes)
  .route('/api/auth/idp', identityProviderRoutes)
  .route('/api/email', emailVerificationRoutes)
  .route('/api/email', addressLinkRoutes)
  .route('/api/me/email', ownAddressRoutes)
  .route('/api/tokens', tokenRoutes)
  .route('/api/reminders', reminderRoutes)
  .route('/api/me', meRoutes)
  .route('/api/accounts', accountRoutes)
  .route('/api/categories', categoryRoutes)
  .route('/api/categories/suggest', suggestionRoutes)
  .route('/api/import', importRoutes)
  .route('/api/imports', importHistoryRoutes)
  .route('/api/transactions/sync', syncRoutes)
  .route('/api/transactions', transactionRoutes)
  .route('/api/changes', feedRoutes)
  .route('/api/changes', uploadRoutes)
  .route('/api/matches', matchRoutes)
  .route('/api/recurring', recurringRoutes)
  .route('/api/balance-checks', balanceCheckRoutes)
  .route('/api/reports', reportRoutes)
  .route('/api/summary', summaryRoutes)
  .route('/api/export', exportRoutes)

app.notFound(async (c) => (await appPage(c)) ?? c.json({ message: 'Not Found' }, 404))
app.onError(handleError)

export { app }
