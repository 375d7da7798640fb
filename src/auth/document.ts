import { maxNamedTokens } from '../database/quotas.ts'
import { absoluteTimeoutDays, idleTimeoutDays } from '../database/token-lifetime.ts'
import { message } from '../failures/failure-responses.ts'
import { exactLimits, perMinute } from '../failures/limits.ts'
import type { EndpointGroup } from '../openapi/endpoint.ts'
import { deleted, json, list } from '../openapi/response-descriptions.ts'
import { examplePassword, mary } from '../users/contract.ts'
import { authorisation, availability, namedToken, session, signIn } from './contract.ts'
import { sessionsListed } from './sessions.ts'

/** Registration, sign-in by password or identity provider, sign-out, sessions. */
export const signInEndpoints: EndpointGroup = {
  tag: 'Sign in',
  description: `Get a token here, and send it as \`Authorization: Bearer <token>\`. A token expires after ${idleTimeoutDays} days without use, and after ${absoluteTimeoutDays} days in any case.`,
  endpoints: {
    'POST /api/register': {
      id: 'register',
      summary: 'Register',
      description:
        'Creates a user with the default categories, queues an email to verify the address, and signs in. If the mailbox has had too many emails lately, none is queued: request one later.',
      body: {
        name: 'Registration',
        example: {
          name: 'Mary Somerville',
          email: 'mary@example.com',
          password: examplePassword,
          password_confirmation: examplePassword,
          timezone: 'Europe/London',
        },
      },
      responses: {
        201: {
          ...json(signIn, 'Registered and signed in.'),
          example: {
            access_token: '1|4bQ0mX9sVv2kTn7cYd3fGh8jLp5rWz6aSe1uIo0ABCDEF',
            token_type: 'Bearer',
            user: { ...mary(), email_verified_at: null },
            email_verified: false,
            email_verified_at: null,
          },
        },
      },
      invalid: { errors: { email: ['The email has already been taken.'] } },
    },
    'POST /api/login': {
      id: 'login',
      summary: 'Sign in with a password',
      description: `Wrong credentials are a 422 under \`email\`, identical for an unknown address and a wrong password. ${perMinute.LOGIN_LIMIT} a minute for each pair of email address and client address.`,
      body: { name: 'Credentials', example: { email: 'mary@example.com', password: examplePassword } },
      responses: { 200: json(signIn, 'Signed in.') },
      invalid: {
        message: 'The provided credentials are incorrect.',
        errors: { email: ['The provided credentials are incorrect.'] },
      },
    },
    'POST /api/logout': {
      id: 'logout',
      summary: 'Sign out',
      description: 'Revokes the token of this request only.',
      responses: { 200: json(message, 'Signed out.') },
    },
    'POST /api/logout-all': {
      id: 'logoutEverywhere',
      summary: 'Sign out everywhere',
      description: 'Revokes every token of the user, the named ones included.',
      responses: { 200: json(message, 'Signed out everywhere.') },
    },
    'GET /api/tokens': {
      id: 'listSessions',
      summary: 'List sessions',
      description: `The valid tokens: the named ones, then the sessions, each most recently used first; ${sessionsListed} at most.`,
      responses: { 200: list(session, 'Where the user is signed in, and the tokens of scripts.') },
    },
    'POST /api/tokens': {
      id: 'makeToken',
      summary: 'Make a token for a script',
      description: `Only a session may. With the ability \`read\`, a token may use every GET and HEAD, and POST /api/categories/suggest; with \`write\`, all else except tokens, sign-out, the password, the address and the deletion of the user. Anything else is a 403 with the code \`insufficient_scope\`. The user gets an email. At most ${maxNamedTokens} at a time, and ${exactLimits.namedTokens.max} a minute. A token ends after ${idleTimeoutDays} days without use, after ${absoluteTimeoutDays} days in any case, and whenever all sessions end.`,
      body: { name: 'NewToken', example: { name: 'Monthly report', abilities: ['read'] } },
      responses: { 201: json(namedToken, 'Made.') },
      invalid: {
        errors: {
          name: ['The name field is required.'],
          abilities: ['The selected abilities is invalid.'],
          expires_at: ['The expires at field must be a time in the future.'],
        },
      },
    },
    'DELETE /api/tokens/:id': {
      id: 'revokeSession',
      summary: 'End a session or a named token',
      description: 'Revokes its token at once: its next request is a 401.',
      responses: { 204: deleted },
    },
    'GET /api/auth/check-email': {
      id: 'checkEmail',
      summary: 'Check an address',
      description: `Says whether the address is well-formed, and never whether it is registered. ${perMinute.CHECK_EMAIL_LIMIT} a minute for each client address.`,
      responses: { 200: json(availability, 'Whether the address could be used.') },
    },
    'GET /api/auth/idp': {
      id: 'beginProviderSignIn',
      summary: 'Sign in through the identity provider',
      description:
        'Send the person to `url`. The provider sends them back to the callback, which sends them on to the frontend.',
      responses: { 200: json(authorisation, 'Where to send the person.') },
    },
    'GET /api/auth/idp/callback': {
      id: 'completeProviderSignIn',
      summary: 'Come back from the identity provider',
      description:
        'Called by the provider, not by clients. Redirects to `{frontend}/login` with `token` and `user`, or with `error` and `error_code`: access_denied, invalid_state, provider_error, email_missing or email_unverified.',
      responses: { 302: { description: 'Back to the frontend.', headers: ['Location'] } },
    },
  },
}
