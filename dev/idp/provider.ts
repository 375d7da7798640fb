import { exportJWK, generateKeyPair } from 'jose'
import Provider, {
  type Account,
  type Configuration,
  type Grant,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider'
import { sendPage } from '../web/page.ts'
import { createMemoryAdapter } from './memory-adapter.ts'
import { problemPage } from './page.ts'
import { isAddress, type People, personOf } from './people.ts'

export type Client = { clientId: string; clientSecret: string; redirectUris: string[] }

const hourSeconds = 60 * 60

/** The OpenID provider for one first-party client. */
export async function createProvider(issuer: string, client: Client, people: People): Promise<Provider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const provider = new Provider(issuer, {
    adapter: createMemoryAdapter(),
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: 'RS256', use: 'sig' }] },
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: client.redirectUris,
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    // As at Google, which this replaces: these claims are in the id_token as well.
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile'],
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
    },
    // A session ends with the sign-in that created it, so nothing may depend on it.
    expiresWithSession: () => false,
    interactions: { policy: policy(), url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    extraParams: { login_hint: (ctx, hint) => signInAtOnce(people, ctx, hint) },
    findAccount: (_ctx, subject) => account(issuer, people, subject),
    loadExistingGrant: grantAll,
    renderError: async (ctx, { error, error_description }) => {
      const known = `The client is ${client.clientId}, and it may be sent to ${client.redirectUris.join(' or ')}.`
      const detail = `${error}: ${error_description}. ${known}`
      await sendPage(ctx.res, ctx.status, problemPage('This sign-in cannot continue', detail))
    },
    ttl: {
      AccessToken: hourSeconds,
      AuthorizationCode: 60,
      Grant: hourSeconds,
      IdToken: hourSeconds,
      Interaction: hourSeconds,
      Session: hourSeconds,
    },
  } satisfies Configuration)
  provider.on('server_error', (_ctx, error) => console.error(error))
  return provider
}

/**
 * Asks for a sign-in and nothing else: every sign-in is a fresh one and the client is trusted, so all other values of
 * `prompt` are satisfied already.
 */
function policy(): interactionPolicy.DefaultPolicy {
  const prompts = interactionPolicy.base()
  prompts.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }))
  for (const prompt of prompts) {
    const needed = prompt.checks.filter((check) => check.reason === 'no_session')
    prompt.checks.clear()
    for (const check of needed) prompt.checks.add(check)
  }
  return prompts
}

/** Signs in the address of a `login_hint` before the provider asks for a sign-in. */
function signInAtOnce(people: People, ctx: KoaContextWithOIDC, hint: string | undefined): void {
  const address = hint?.trim()
  if (!address || !isAddress(address)) return
  ctx.oidc.session?.loginAccount({ accountId: people.add(personOf(address)), transient: true })
}

/** Grants the trusted client whatever it asks for, without asking the person. */
async function grantAll(ctx: KoaContextWithOIDC): Promise<Grant> {
  const { client, account, provider, requestParamScopes } = ctx.oidc
  if (!client || !account) throw new Error('A grant needs a client and a person.')
  const grant = new provider.Grant({ accountId: account.accountId, clientId: client.clientId })
  grant.addOIDCScope([...requestParamScopes].join(' '))
  await grant.save()
  return grant
}

function account(issuer: string, people: People, subject: string): Account | undefined {
  const person = people.find(subject)
  if (!person) return undefined
  const { address, name, addressState } = person
  const email =
    addressState === 'absent' ? {} : { email: address, email_verified: addressState === 'verified' }
  const picture = `${issuer}/pictures/${subject}.svg?name=${encodeURIComponent(name)}`
  return { accountId: subject, claims: () => ({ sub: subject, ...email, name, picture }) }
}
