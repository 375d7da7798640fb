/** The open email, in four tabs. */

const tabNames = ['HTML', 'Text', 'Headers', 'Raw']

/** The tab chosen last, in which the next email opens too, if it has that tab. */
let chosen = 'HTML'

/** Shows an email as the API returns it. */
export function showMail(reader, mail) {
  const panel = element('div', { role: 'tabpanel', id: 'panel', tabIndex: 0 })
  const tablist = element('div', { role: 'tablist', ariaLabel: 'Parts of the email' })
  const tabs = tabNames.map((name) => {
    const tab = element('button', { role: 'tab', type: 'button', id: `tab-${name}`, textContent: name })
    tab.setAttribute('aria-controls', 'panel')
    tab.disabled = (name === 'HTML' && !mail.html) || (name === 'Text' && !mail.text)
    tab.addEventListener('click', () => {
      chosen = name
      select(name)
    })
    return tab
  })
  const select = (name) => {
    for (const tab of tabs) {
      const isSelected = tab.textContent === name
      tab.setAttribute('aria-selected', isSelected)
      tab.tabIndex = isSelected ? 0 : -1
    }
    panel.setAttribute('aria-labelledby', `tab-${name}`)
    panel.replaceChildren(content(name, mail))
    panel.scrollTop = 0
  }
  tablist.append(...tabs)
  tablist.addEventListener('keydown', (event) => moveBetween(tabs, event))
  reader.replaceChildren(head(mail), tablist, panel)
  const first =
    tabs.find((tab) => tab.textContent === chosen && !tab.disabled) ?? tabs.find((tab) => !tab.disabled)
  select(first.textContent)
}

/** Says that there is no email at this address. */
export function showMissing(reader) {
  const back = backLink()
  const head = element('div', { className: 'head' })
  head.append(back, element('h2', { textContent: 'This email is no longer here' }))
  head.append(element('p', { textContent: 'The inbox was emptied, or newer emails have replaced it.' }))
  reader.replaceChildren(head)
}

function head(mail) {
  const head = element('div', { className: 'head' })
  const time = new Date(mail.created_at).toLocaleString()
  head.append(
    backLink(),
    element('h2', { textContent: mail.subject }),
    element('p', { textContent: `${mail.from} to ${mail.to.join(', ')} · ${time}` }),
  )
  return head
}

function backLink() {
  return element('a', { className: 'back', href: '#', textContent: '← All mails' })
}

function moveBetween(tabs, event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (!step) return
  event.preventDefault()
  const open = tabs.filter((tab) => !tab.disabled)
  const next = open[(open.indexOf(document.activeElement) + step + open.length) % open.length]
  next.click()
  next.focus()
}

function content(name, mail) {
  if (name === 'HTML') return frame(mail)
  if (name === 'Text') return linked(mail.text)
  if (name === 'Headers') return headers(mail)
  return element('pre', { textContent: JSON.stringify(mail, null, 2) })
}

/**
 * The email's own HTML, in a frame that may open links in new tabs and do nothing else: no script, no form, no navigation
 * of this page. Our base element comes first, so that one in the email has no effect.
 */
function frame(mail) {
  const frame = element('iframe', { title: `HTML of ${mail.subject}` })
  frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox')
  frame.srcdoc = `<!doctype html><base target="_blank">${mail.html}`
  return frame
}

function linked(text) {
  const pre = element('pre', {})
  for (const piece of text.split(/(https?:\/\/[^\s<>"]+[^\s<>".,;:!?)\]])/)) {
    if (/^https?:\/\//.test(piece)) {
      pre.append(element('a', { href: piece, target: '_blank', rel: 'noreferrer', textContent: piece }))
    } else pre.append(piece)
  }
  return pre
}

function headers(mail) {
  const list = element('dl', {})
  const entries = [
    ['From', mail.from],
    ['To', mail.to.join(', ')],
    ['Cc', mail.cc.join(', ')],
    ['Bcc', mail.bcc.join(', ')],
    ['Reply-To', mail.reply_to.join(', ')],
    ['Subject', mail.subject],
    ['Date', mail.created_at],
    ['Message-ID', mail.message_id],
    ...Object.entries(mail.headers),
    ['Tags', mail.tags.map((tag) => `${tag.name}: ${tag.value}`).join(', ')],
    ['Attachments', mail.attachments.map(attachment).join(', ')],
    ['Scheduled for', mail.scheduled_at],
    ['Idempotency key', mail.idempotency_key],
  ]
  for (const [name, value] of entries) {
    if (value) list.append(element('dt', { textContent: name }), element('dd', { textContent: value }))
  }
  return list
}

function attachment({ filename, content_type, size }) {
  const facts = [content_type, size === null ? null : `${size} bytes`].filter(Boolean).join(', ')
  return `${filename ?? 'unnamed'}${facts ? ` (${facts})` : ''}`
}

function element(tag, properties) {
  return Object.assign(document.createElement(tag), properties)
}
