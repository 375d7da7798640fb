import type { TokenAbility, TokenScope } from '../domain/types.ts'
import { presentUser } from '../users/present.ts'
import type { ShownSession, ShownSignIn } from './contract.ts'
import type { Session } from './sessions.ts'
import type { SignedIn } from './token.ts'

export function presentSignIn({ token, user }: SignedIn): ShownSignIn {
  return {
    access_token: token,
    token_type: 'Bearer',
    user: presentUser(user),
    email_verified: user.emailVerifiedAt !== null,
    email_verified_at: user.emailVerifiedAt?.toISOString() ?? null,
  }
}

const abilitiesOf: Record<TokenScope, TokenAbility[] | null> = {
  read: ['read'],
  write: ['read', 'write'],
  session: null,
}

export function presentSession(session: Session, currentTokenId?: number): ShownSession {
  return {
    id: session.id,
    name: session.name,
    abilities: abilitiesOf[session.scope],
    expires_at: session.expiresAt?.toISOString() ?? null,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    is_current: session.id === currentTokenId,
  }
}
