import { focusRow, markOpen, markUnread, showList, unreadCount } from './list.js'
import { showMail, showMissing } from './reader.js'

const refreshMs = 120

const list = document.getElementById('list')
const reader = document.getElementById('reader')
const searchBox = document.getElementById('search')
const status = document.getElementById('status')
const hint = document.getElementById('hint')

/** The emails in the list, and every id seen so far, by which new ones are recognised. */
let mails = []
let known
let isOnline = true
let isDue = false

const narrow = matchMedia('(max-width: 759px)')
const openId = () => location.hash.slice(1)

/** Fetches the list again soon, once for a burst of emails. */
function refreshSoon() {
  if (isDue) return
  isDue = true
  setTimeout(() => {
    isDue = false
    refresh()
  }, refreshMs)
}

async function refresh() {
  const question = searchBox.value.trim()
  const response = await fetch(`/search?q=${encodeURIComponent(question)}`).catch(() => undefined)
  // The answer to an older search is not shown.
  if (!response?.ok || question !== searchBox.value.trim()) return
  const found = await response.json()
  mails = found.mails
  showList(list, mails)
  if (known) markUnread(mails.map((mail) => mail.id).filter((id) => !known.has(id)))
  known = new Set([...(known ?? []), ...mails.map((mail) => mail.id)])
  if (found.total === 0 && openId()) history.replaceState(null, '', '#')
  showState(question, found.total)
  showOpen()
}

function showState(question, total) {
  document.getElementById('nothing').hidden = total > 0
  document.getElementById('nothing-found').hidden = total === 0 || mails.length > 0
  document.getElementById('empty').disabled = total === 0
  const count = total === 1 ? '1 email' : `${total.toLocaleString()} emails`
  status.textContent = isOnline
    ? question
      ? `${mails.length} of ${count}`
      : count
    : 'The inbox does not answer'
  status.classList.toggle('offline', !isOnline)
  status.hidden = isOnline && total === 0
}

let shownId = ''

/** Shows the email that the address names. */
async function showOpen() {
  const id = openId()
  document.body.classList.toggle('reading', id !== '')
  markOpen(id)
  document.title = unreadCount() > 0 ? `(${unreadCount()}) Inbox` : 'Inbox'
  if (id === shownId) return
  shownId = id
  if (id === '') return reader.replaceChildren(hint)
  const headers = { authorization: 'Bearer re_inbox_page' }
  const response = await fetch(`/emails/${encodeURIComponent(id)}`, { headers }).catch(() => undefined)
  if (id !== openId()) return
  if (response?.ok) showMail(reader, await response.json())
  else showMissing(reader)
}

/** Opens the next or previous email of the list. */
function move(step) {
  const index = mails.findIndex((mail) => mail.id === openId())
  const next = mails[index === -1 ? 0 : index + step]
  if (!next) return
  // Replaced, not pushed: Back leads out of the inbox, not through every email on the way.
  history.replaceState(null, '', `#${next.id}`)
  showOpen()
  focusRow(next.id)
}

function close() {
  if (!openId()) return
  const id = openId()
  history.pushState(null, '', location.pathname)
  showOpen()
  if (document.activeElement !== searchBox) focusRow(id)
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const isTyping = event.target === searchBox
  if (event.key === 'Escape') {
    if (isTyping && searchBox.value) searchFor('')
    else if (isTyping) searchBox.blur()
    else close()
  } else if (isTyping) {
    if (event.key === 'ArrowDown' || event.key === 'Enter')
      move(mails.some(({ id }) => id === openId()) ? 0 : 1)
  } else if (event.key === '/') {
    event.preventDefault()
    searchBox.focus()
    searchBox.select()
  } else if (event.key === 'j') move(1)
  else if (event.key === 'k') move(-1)
  else if (list.contains(event.target) && ['ArrowDown', 'ArrowUp'].includes(event.key)) {
    event.preventDefault()
    move(event.key === 'ArrowDown' ? 1 : -1)
  }
}

function searchFor(question) {
  searchBox.value = question
  refresh()
}

async function emptyInbox() {
  if (!confirm('Delete every email in this inbox?')) return
  await fetch('/emails', { method: 'DELETE' })
  refreshSoon()
}

/** Listens for changes. The browser reconnects by itself, and then fetches what it has missed. */
function listen() {
  const changes = new EventSource('/changes')
  changes.addEventListener('message', refreshSoon)
  changes.addEventListener('open', () => {
    isOnline = true
    refreshSoon()
  })
  changes.addEventListener('error', () => {
    isOnline = false
    status.hidden = false
    status.textContent = 'The inbox does not answer'
    status.classList.add('offline')
  })
}

document.getElementById('example').textContent = `curl ${location.origin}/emails \\
  -H 'Authorization: Bearer re_local' \\
  -H 'Content-Type: application/json' \\
  -d '{"from": "me@example.com",
       "to": "you@example.com",
       "subject": "Hello",
       "text": "It works"}'`
document.getElementById('empty').addEventListener('click', emptyInbox)
document.getElementById('clear-search').addEventListener('click', () => searchFor(''))
document.addEventListener('keydown', onKey)
searchBox.addEventListener('input', () => {
  refreshSoon()
  // On a phone the open email covers the list that is being searched.
  if (narrow.matches) close()
})
addEventListener('hashchange', showOpen)
listen()
refresh()
