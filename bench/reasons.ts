type Reason = {
  since: string
  /** What was tried to improve it, and the result. */
  secondWay?: string
}

const hashing = 'hashing a password is slow by design'
const comparing = `the stored hash comes to the Worker to be compared, and ${hashing}`
const matching =
  'all rows within six days of its own are compared to find matches, and a longer history has more rows a day'
const preparing = `all its statements are prepared for each call, however few rows it brings; ${matching}`
const arrays = 'rows travel as arrays and are read once in the database: half the bytes, a third of the time'
const landing =
  'each row writes its index entries, as a raw insert does, and the client, the Worker and the database share the cores'
const totalsOfMonth =
  'a month of a long history has more totals, one for each account and category that it has: their number is read, not the length of the history'
const monthByMonth = 'one kept figure is read for each month: ten years of them against one'

/** By the name of the case. */
export const reasons: Record<string, Reason> = {
  'POST /api/register': { since: hashing },
  'POST /api/login': { since: `${hashing}, and the stored hash must be read first` },
  'POST /api/reset-password': { since: `${hashing}, and the link is looked at first` },
  'DELETE /api/me': { since: comparing },
  'PUT /api/me/password': { since: comparing },
  'PATCH /api/me/password': { since: comparing },
  'GET /api/auth/idp/callback': {
    since: 'the provider is asked for who it is, and the state is spent first',
  },
  'GET /api/email/verify/:id/:hash': {
    since: 'the link is checked against the address that is stored, then written',
  },
  'POST /api/email/disown/:id/:hash': {
    since: 'the link is checked against the address that is stored, and then the user is deleted',
  },
  'POST /api/import/store': { since: preparing },
  'POST /api/import/bank/store': { since: preparing },
  'GET /api/transactions?page=(last)': {
    since: 'the rows of its month before it are passed over one by one',
    secondWay:
      'pages far back begin in their month by the kept counts, where an offset walked over the history',
  },
  'GET /api/transactions?account_id=': {
    since: 'the last day of the page is read whole, to be ordered by id',
    secondWay: 'the total is kept, where it was counted',
  },
  'GET /api/transactions?category_id=': {
    since: monthByMonth,
    secondWay: 'these are kept, where all rows were counted',
  },
  'GET /api/transactions?category_id=none': {
    since: monthByMonth,
    secondWay: 'these are kept, where the history was gone through',
  },
  'GET /api/transactions?type=income': { since: monthByMonth },
  'GET /api/transactions?from=&to= (part of a month)': {
    since: 'the rows of a month that is cut are counted',
    secondWay: 'months that are not cut are kept figures',
  },
  'GET /api/summary': { since: totalsOfMonth },
  'POST /api/transactions': { since: `its bounds are checked, and ${totalsOfMonth}` },
  'POST /api/transactions/sync': { since: `its bounds are checked, and ${totalsOfMonth}` },
  'PUT /api/transactions/:id': { since: `its bounds are checked, and ${totalsOfMonth}` },
  'PATCH /api/transactions/:id': { since: `its bounds are checked, and ${totalsOfMonth}` },
  'DELETE /api/imports/:id': { since: `its bounds are checked, and ${totalsOfMonth}` },
  'POST /api/changes': { since: `its bounds are checked, and ${totalsOfMonth}` },
  'GET /api/matches': {
    since:
      'all rows of the days asked for are compared, 20,000 at most, and a longer history has more rows a day',
  },
  'POST /api/matches/separate': {
    since: 'all its statements are prepared for each call',
  },
  'GET /api/transactions?q=': { since: 'a text is looked for in the newest 10,000 rows' },
}

/** The same for ways of storing rows, by the beginnings of their names. */
const reasonsOfWays: [begins: string, reason: Reason][] = [
  ['sync', { since: `${landing}; a batch is accepted, queued and then judged`, secondWay: arrays }],
  ['import, JSON', { since: landing, secondWay: arrays }],
  ['import, OFX', { since: landing, secondWay: arrays }],
  [
    'import, ',
    {
      since: `${landing}; CSV is read by hand besides`,
      secondWay: `${arrays}; a row of CSV is read at half the cost`,
    },
  ],
]

/** Why an endpoint or a way of storing rows misses a goal, and the second way that was tried. */
export function reasonOf(name: string): string {
  const reason = reasons[name] ?? reasonsOfWays.find(([begins]) => name.startsWith(begins))?.[1]
  if (!reason) return 'and nobody has said why yet'
  return [`since ${reason.since}`, reason.secondWay].filter(Boolean).join('; second way: ')
}
