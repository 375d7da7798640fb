import type { Mail } from './mail.ts'

const previewCharacters = 160

/** The emails that contain every word in subject, addresses or content, as the page lists them. */
export function search(mails: Mail[], question: string) {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean)
  return { total: mails.length, mails: mails.filter((mail) => holds(mail, words)).map(shown) }
}

function shown(mail: Mail) {
  const { id, created_at, from, to, subject } = mail
  return { id, created_at, from, to, subject, preview: preview(mail) }
}

function holds({ subject, from, to, cc, bcc, html, text }: Mail, words: string[]): boolean {
  if (words.length === 0) return true
  const haystack = [subject, from, ...to, ...cc, ...bcc, text ?? '', html ?? ''].join('\n').toLowerCase()
  return words.every((word) => haystack.includes(word))
}

function preview({ text, html }: Mail): string {
  const words = (text || withoutMarkup(html ?? '')).slice(0, 4 * previewCharacters)
  return words.replace(/\s+/g, ' ').trim().slice(0, previewCharacters)
}

/** Rough, since it only helps people recognise an email: the page shows it as text, never as HTML. */
function withoutMarkup(html: string): string {
  return html
    .slice(0, 20_000)
    .replace(/<(style|script|title)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(nbsp|amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity)
}

const entities: Record<string, string> = {
  '&nbsp;': ' ',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
