import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import { errors } from 'oidc-provider'
import { readText } from '../web/body.ts'
import { sendPage } from '../web/page.ts'
import { problemPage, sendSignInPage } from './page.ts'
import { isAddress, nameFrom, type People, type Person } from './people.ts'

/** Shows the sign-in page, and ends the interaction with what its form says. */
export async function respondToInteraction(
  provider: Provider,
  people: People,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const { params } = await provider.interactionDetails(request, response)
    const hint = typeof params.login_hint === 'string' ? params.login_hint : ''
    if (request.method !== 'POST') return await sendSignInPage(response, { address: hint })
    const form = new URLSearchParams(await readText(request))
    if (form.get('decision') === 'refuse') {
      const refusal = { error: 'access_denied', error_description: 'The person refused.' }
      return await provider.interactionFinished(request, response, refusal)
    }
    const person = personFrom(form)
    if (!isAddress(person.address)) return await sendSignInPage(response, person, 'This is not an address.')
    await provider.interactionFinished(request, response, { login: { accountId: people.add(person) } })
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error
    await sendPage(response, 400, problemPage('This sign-in has ended', 'Start again in the app.'))
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
