import type { User } from '../database/owner.ts'
import type { ShownUser } from './contract.ts'

export function presentUser(user: User): ShownUser {
  return {
    id: user.id,
    name: user.name,
    email: user.email,
    idp_id: user.idpId,
    avatar: user.avatar,
    email_verified_at: user.emailVerifiedAt?.toISOString() ?? null,
    timezone: user.timezone,
    reminder_time: user.reminderTime,
    reminder_last_sent_at: user.reminderLastSentAt?.toISOString() ?? null,
    due_reminders: user.dueReminders,
    currency: user.currency,
  }
}
