/** The list of emails. Rows stay the same elements across updates, which keeps focus and scroll position. */

const rows = new Map()

/** Shows the emails, newest first, and keeps existing rows. */
export function showList(list, mails) {
  const wanted = new Set(mails.map((mail) => mail.id))
  for (const [id, row] of rows) {
    if (wanted.has(id)) continue
    row.remove()
    rows.delete(id)
  }
  let place = list.firstElementChild
  for (const mail of mails) {
    const row = rows.get(mail.id) ?? addRow(mail)
    if (row === place) place = place.nextElementSibling
    else list.insertBefore(row, place)
  }
}

/** Marks the open email, which is no longer unread, and scrolls to it if it is out of sight. */
export function markOpen(id) {
  for (const [rowId, row] of rows) {
    const link = row.firstElementChild
    if (rowId === id) {
      link.setAttribute('aria-current', 'true')
      link.classList.remove('unread')
      link.scrollIntoView({ block: 'nearest' })
    } else link.removeAttribute('aria-current')
  }
}

/** Marks emails that came in while the page was open, as unread. */
export function markUnread(ids) {
  for (const id of ids) rows.get(id)?.firstElementChild.classList.add('unread')
}

export function unreadCount() {
  return document.querySelectorAll('.mail.unread').length
}

/** Moves the focus to an email's row, without scrolling. */
export function focusRow(id) {
  rows.get(id)?.firstElementChild.focus({ preventScroll: true })
}

function addRow(mail) {
  const row = document.createElement('li')
  const link = document.createElement('a')
  link.className = 'mail'
  link.href = `#${mail.id}`
  link.append(
    part('span', 'to', mail.to.join(', ')),
    timePart(mail.created_at),
    part('span', 'subject', mail.subject),
    part('span', 'preview', mail.preview),
  )
  row.append(link)
  rows.set(mail.id, row)
  return row
}

function part(tag, className, text) {
  const element = document.createElement(tag)
  element.className = className
  element.textContent = text
  return element
}

function timePart(iso) {
  const date = new Date(iso)
  const isToday = date.toDateString() === new Date().toDateString()
  const text = isToday
    ? date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleDateString([], { day: 'numeric', month: 'short' })
  const element = part('time', 'time', text)
  element.dateTime = iso
  element.title = date.toLocaleString()
  return element
}
