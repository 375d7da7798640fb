import type { ServerResponse } from 'node:http'
import { html } from 'hono/html'
import { type Html, sendPage } from '../web/page.ts'
import type { Mail } from './mails.ts'

const mailsShown = 100
const reloadSeconds = 5
const longestLinkText = 32

/** Sends the list of emails, newest first, each with its links. It reloads itself. */
export function sendListPage(response: ServerResponse, mails: Mail[]): Promise<void> {
  const body =
    mails.length === 0
      ? html`<h1>Inbox</h1>
<p>No emails yet. What the service sends appears here: register a user, or ask for a password reset.</p>`
      : html`<h1>Inbox</h1>
<table>
<thead><tr><th>Received</th><th>To</th><th>Subject</th><th>Links</th></tr></thead>
<tbody>${mails.slice(0, mailsShown).map(row)}</tbody>
</table>
<form method="post" action="/clear"><button>Delete all</button></form>`
  const head = html`<meta http-equiv="refresh" content="${reloadSeconds}">
<style>main { overflow-x: auto } td { vertical-align: top; white-space: nowrap } td:nth-child(3) { white-space: normal } button { width: auto }</style>`
  return sendPage(response, 200, { title: 'Inbox', head, body })
}

/** Sends one email: addresses, links, its HTML in a frame without scripts and forms, its text and headers. */
export function sendMailPage(response: ServerResponse, mail: Mail): Promise<void> {
  // The email cannot choose another base, since the first one counts.
  const framed = `<!doctype html><base target="_blank">${mail.html}`
  const body = html`<p><a href="/">Inbox</a></p>
<h1>${mail.subject}</h1>
<p>${time(mail)}<br>From: ${mail.from}<br>To: ${mail.to.join(', ')}</p>
<h2>Links</h2>
<ul>${linksOf(mail).map((link) => html`<li>${anchor(link, link)}</li>`)}</ul>
${mail.html && html`<h2>HTML</h2>\n<iframe title="The email as HTML" sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="${framed}"></iframe>`}
<h2>Text</h2>
<pre>${mail.text ?? 'This email has no text.'}</pre>
<h2>Headers</h2>
<pre>${JSON.stringify(mail.headers, null, 2)}</pre>`
  const head = html`<style>li { overflow-wrap: anywhere } pre { padding: 1rem; white-space: pre-wrap } iframe { width: 100%; height: 36rem; border: 0; background: #fff }</style>`
  return sendPage(response, 200, { title: mail.subject, head, body })
}

function row(mail: Mail): Html {
  const links = linksOf(mail).map((link) => html`<div>${anchor(link, shorten(link))}</div>`)
  return html`<tr><td>${time(mail)}</td><td>${mail.to.join(', ')}</td><td><a href="/mails/${mail.id}">${mail.subject}</a></td><td>${links}</td></tr>`
}

function anchor(link: string, text: string): Html {
  return html`<a href="${link}" target="_blank" rel="noreferrer">${text}</a>`
}

function time({ created_at }: Mail): Html {
  return html`<time datetime="${created_at}">${new Date(created_at).toLocaleString('sv')}</time>`
}

/** The addresses in the text, each once. */
function linksOf({ text, html }: Mail): string[] {
  return [...new Set((text ?? html ?? '').match(/https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]]/g))]
}

/** The link without its origin, cut to a length that fits into the list. */
function shorten(link: string): string {
  const { pathname, search } = new URL(link)
  const whole = pathname + search
  return whole.length > longestLinkText ? `${whole.slice(0, longestLinkText)}…` : whole
}
