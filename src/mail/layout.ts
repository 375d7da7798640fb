import type { RenderedMail } from '../queues/mails.ts'

/** The parts of an email, as plain text. */
export type MailParts = {
  subject: string
  greeting: string
  paragraphs: string[]
  /** Lists below the paragraphs. */
  lists?: { title: string; items: string[] }[]
  /** A button in HTML, a URL on its own line in plain text. */
  action?: { label: string; url: string }
  /** Small print below. */
  notes?: string[]
  /** A link in the small print. */
  footerLink?: { label: string; url: string }
}

/** Lays out an email as plain text and as HTML that looks the same in light and dark mode. */
export function layOut(parts: MailParts): RenderedMail {
  const { subject, greeting, paragraphs, lists = [], action, notes = [], footerLink } = parts
  const text = [
    greeting,
    ...paragraphs,
    ...lists.map(({ title, items }) => [title, ...items.map((item) => `- ${item}`)].join('\n')),
    ...(action ? [`${action.label}:\n${action.url}`] : []),
    ...notes,
    ...(footerLink ? [`${footerLink.label}:\n${footerLink.url}`] : []),
    '-- \nPurse',
  ].join('\n\n')
  const html = page(
    escapeHtml(subject),
    [
      paragraph(greeting),
      ...paragraphs.map(paragraph),
      ...lists.map(list),
      action ? button(action) : '',
      ...notes.map((note) => smallPrint(note)),
      action ? smallPrint('If the button does not work, open this address:', action.url) : '',
      footerLink
        ? `<p style="${small}"><a href="${escapeHtml(footerLink.url)}" style="color:#5f6b7a">${escapeHtml(footerLink.label)}</a></p>`
        : '',
    ].join('\n'),
  )
  return { subject, text: `${text}\n`, html }
}

const font = 'font-family:-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif'
const small = 'margin:16px 0 0;font-size:13px;line-height:1.5;color:#5f6b7a'

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light"><title>${title}</title></head>
<body style="margin:0;padding:24px 12px;background:#f2f4f7;${font}">
<div style="max-width:480px;margin:0 auto;padding:32px 28px;background:#ffffff;border-radius:12px;color:#1c2430">
<p style="margin:0 0 24px;font-size:18px;font-weight:700;color:#0f6b4f">Purse</p>
${content}
</div>
</body>
</html>`
}

function paragraph(text: string): string {
  return `<p style="margin:0 0 16px;font-size:16px;line-height:1.5">${escapeHtml(text)}</p>`
}

function list({ title, items }: { title: string; items: string[] }): string {
  const rows = items.map((item) => `<li style="overflow-wrap:anywhere">${escapeHtml(item)}</li>`).join('\n')
  return `<p style="margin:0 0 4px;font-size:16px;line-height:1.5;font-weight:600">${escapeHtml(title)}</p>
<ul style="margin:0 0 16px;padding-left:20px;font-size:16px;line-height:1.5">
${rows}
</ul>`
}

function button({ label, url }: { label: string; url: string }): string {
  const style =
    'display:inline-block;padding:12px 22px;border-radius:8px;background:#0f6b4f;color:#ffffff;font-weight:600;text-decoration:none'
  return `<p style="margin:24px 0"><a href="${escapeHtml(url)}" style="${style}">${escapeHtml(label)}</a></p>`
}

function smallPrint(text: string, url?: string): string {
  const link = url
    ? `<br><a href="${escapeHtml(url)}" style="color:#5f6b7a;word-break:break-all">${escapeHtml(url)}</a>`
    : ''
  return `<p style="${small}">${escapeHtml(text)}${link}</p>`
}

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for use in HTML, both between tags and in quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
}
