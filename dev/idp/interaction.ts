import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import { readText } from '../web/body.ts'
import { renderProblem, renderSignIn, sendPage } from './page.ts'
import { isAddress, nameFrom, type People, type Person } from './people.ts'

const largestFormBytes = 10_000
const recentShown = 4

/** Shows the sign-in page, and ends the interaction with what its form says. */
export async function answerInteraction(
  provider: Provider,
  people: People,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(request, response)
    const hint = typeof params.login_hint === 'string' ? params.login_hint : ''
    const recent = people.latest(recentShown)
    if (request.method !== 'POST') return sendPage(response, 200, renderSignIn({ address: hint, recent }))
    const form = new URLSearchParams(await readText(request, largestFormBytes))
    if (form.get('decision') === 'refuse') {
      const refusal = { error: 'access_denied', error_description: 'The person refused.' }
      return await provider.interactionFinished(request, response, refusal)
    }
    const person = people.find(form.get('again') ?? '') ?? personFrom(form)
    if (!isAddress(person.address)) {
      const page = renderSignIn({ ...person, recent, problem: 'This is not an address.' })
      return sendPage(response, 422, page)
    }
    await provider.interactionFinished(request, response, { login: { accountId: people.remember(person) } })
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error
    sendPage(response, 400, renderProblem('This sign-in has ended', 'Start again where you came from.'))
  }
}

function personFrom(form: URLSearchParams): Person {
  const state = form.get('state')
  const address = (form.get('address') ?? '').trim()
  return {
    address,
    name: (form.get('name') ?? '').trim().slice(0, 255) || nameFrom(address),
    addressState: state === 'unverified' || state === 'absent' ? state : 'verified',
  }
}
