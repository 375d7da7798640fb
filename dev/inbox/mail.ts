export type Tag = { name: string; value: string }

/** An attachment without its content, which is not kept. */
export type Attachment = {
  id: string
  filename: string | null
  content_type: string | null
  content_disposition: 'attachment' | 'inline'
  content_id: string | null
  size: number | null
}

export type Mail = {
  id: string
  message_id: string
  created_at: string
  from: string
  to: string[]
  cc: string[]
  bcc: string[]
  reply_to: string[]
  subject: string
  html: string | null
  text: string | null
  headers: Record<string, string>
  tags: Tag[]
  attachments: Attachment[]
  scheduled_at: string | null
  topic_id: string | null
  idempotency_key: string | null
}

/** The email as an item of Resend's list: without its content. */
export function listed(mail: Mail) {
  return {
    id: mail.id,
    message_id: mail.message_id,
    to: mail.to,
    from: mail.from,
    created_at: resendTime(mail.created_at),
    subject: mail.subject,
    bcc: orNull(mail.bcc),
    cc: orNull(mail.cc),
    reply_to: orNull(mail.reply_to),
    last_event: mail.scheduled_at ? 'scheduled' : 'delivered',
    scheduled_at: mail.scheduled_at,
  }
}

/** The email as Resend retrieves it, and what Resend does not show: headers, attachments and idempotency key. */
export function retrieved(mail: Mail) {
  return {
    object: 'email',
    ...listed(mail),
    bcc: mail.bcc,
    cc: mail.cc,
    reply_to: mail.reply_to,
    html: mail.html,
    text: mail.text,
    tags: mail.tags,
    topic_id: mail.topic_id,
    headers: mail.headers,
    attachments: mail.attachments,
    idempotency_key: mail.idempotency_key,
  }
}

function orNull(addresses: string[]): string[] | null {
  return addresses.length > 0 ? addresses : null
}

/** Resend writes times as PostgreSQL does: `2026-04-03 22:13:42.674000+00`. */
function resendTime(iso: string): string {
  return iso.replace('T', ' ').replace('Z', '000+00')
}
