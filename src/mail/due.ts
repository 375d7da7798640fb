import { type CalendarDate, daysBetween } from '../domain/dates.ts'
import type { Mail } from '../queues/mails.ts'
import type { MailParts } from './layout.ts'

type DueMail = Extract<Mail, { kind: 'due' }>
type Due = DueMail['occurrences'][number]

/** The email about recurring transactions that become due. */
export function dueParts(mail: DueMail): Omit<MailParts, 'greeting'> {
  const { today, occurrences, more, frontendUrl, unsubscribeUrl } = mail
  return {
    subject: subjectOf(mail),
    paragraphs: ['This is what you asked to be reminded of:'],
    lists: [...Map.groupBy(occurrences, ({ day }) => day)].map(([day, ofDay]) => ({
      title: headingOf(day, today),
      items: ofDay.map(inWords),
    })),
    ...(more > 0 && { notes: [`And ${more} more, which you find in Purse.`] }),
    action: { label: 'Open Purse', url: frontendUrl },
    footerLink: { label: 'Stop reminders of recurring transactions', url: unsubscribeUrl },
  }
}

const titleOf = ({ title, from, to }: Due): string =>
  title?.replace(/\s+/g, ' ') ?? (from !== null && to !== null ? 'Transfer' : 'Uncategorized')

/** `Due on 1 December: Rent and 2 more`, or without the day if there are several. */
function subjectOf({ occurrences, more }: DueMail): string {
  const [first] = occurrences
  const isOneDay = more === 0 && occurrences.every(({ day }) => day === first.day)
  const title = [...titleOf(first)]
  const shown = title.length > 20 ? `${title.slice(0, 20).join('')}…` : title.join('')
  const others = occurrences.length - 1 + more
  return `Due ${isOneDay ? `on ${dateInWords(first.day)}` : 'soon'}: ${shown}${others > 0 ? ` and ${others} more` : ''}`
}

/** `Tomorrow, Tuesday 1 December`: the email may be read on another day. */
function headingOf(day: CalendarDate, today: CalendarDate): string {
  const near: Record<number, string> = { [-1]: 'Yesterday, ', 0: 'Today, ', 1: 'Tomorrow, ' }
  return `${near[daysBetween(today, day)] ?? ''}${dateInWords(day, { weekday: 'long' })}`
}

const dateInWords = (date: CalendarDate, options: Intl.DateTimeFormatOptions = {}): string =>
  new Date(date).toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC', ...options })

/** `Rent: about 950.00 from Current account`. */
function inWords(occurrence: Due): string {
  const { amount, isAbout, from, to } = occurrence
  // Intl reads the digits of a text exactly.
  const grouped = twoDecimals.format(amount as `${number}`)
  const way = [from !== null && `from ${from}`, to !== null && `to ${to}`].filter(Boolean).join(' ')
  return `${titleOf(occurrence)}: ${isAbout ? 'about ' : ''}${grouped} ${way}`
}

const twoDecimals = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2 })
