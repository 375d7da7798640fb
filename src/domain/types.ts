/** The enums of the contract. */
export const accountTypes = ['bank', 'mobile', 'cash'] as const
/** The kinds of accounts: a label beside `type`. */
export const accountKinds = ['current', 'savings', 'card', 'loan', 'investment'] as const
export type AccountKind = (typeof accountKinds)[number]
export const categoryTypes = ['income', 'expense'] as const
export type CategoryType = (typeof categoryTypes)[number]
export const transactionTypes = ['income', 'expense', 'transfer'] as const
/** The types of accounts, categories and transactions together. */
export const rowTypes = ['bank', 'mobile', 'cash', 'income', 'expense', 'transfer'] as const
/** The characters that may separate whole units from cents in a file. */
export const decimalSeparators = ['.', ','] as const
/** The meaning of a positive amount in a file: income, or an expense if `inverted`. */
export const signConventions = ['as_written', 'inverted'] as const
/**
 * Answers to `signs`; the oldest of amounts without signs may have gone the other way than the balances show for the rest,
 * and negative amounts the other way than their marks say.
 */
export const signAnswers = [
  ...signConventions,
  ...(['as_written_but_oldest', 'inverted_but_oldest', 'by_mark', 'by_mark_or_reversed'] as const),
] as const
export const syncStates = ['pending', 'processing', 'completed', 'failed'] as const
export const itemOutcomes = ['pending', 'created', 'duplicate', 'invalid', 'failed'] as const
export const importKinds = ['generic', 'bank'] as const
export const importFormats = ['json', 'csv', 'ofx', 'qif', 'camt', 'mt940'] as const
export const exportFormats = ['json', 'csv', 'hledger'] as const
export const operationKinds = ['create', 'update', 'delete'] as const
export const operationOutcomes = [
  'created',
  'updated',
  'unchanged',
  'deleted',
  'duplicate',
  'conflict',
  'gone',
  'invalid',
  'not_done',
] as const
export const matchKinds = ['duplicate', 'transfer'] as const
/** What can be listed, or rejected: an occurrence only if it is asked for. */
export const listedMatchKinds = [...matchKinds, 'occurrence'] as const
export const matchCertainties = ['sure', 'likely'] as const
/** How an import treats possible matches of its rows. */
export const matchModes = ['suggest', 'off'] as const
/** Whether imported rows without a category get the one under which the user filed the same payee. */
export const categoriseModes = ['off', 'learned'] as const
/** Whether balances in files become balance checks. */
export const checkModes = ['on', 'off'] as const
export const reconciledModes = ['skip', 'add'] as const
/** Whether fees are in the amounts of a file, charged besides them, or not charged to the account. */
export const feeConventions = ['included', 'extra', 'ignored'] as const
/** The scopes of tokens: each includes those before it (`src/database/owner.ts`). Named tokens have one of the first two. */
export const tokenScopes = ['read', 'write', 'session'] as const
export type TokenScope = (typeof tokenScopes)[number]
/** The permissions of a named token, as its user names them. */
export const tokenAbilities = ['read', 'write'] as const
export type TokenAbility = (typeof tokenAbilities)[number]
/** How far apart the points of a report of balances are. */
export const reportIntervals = ['day', 'week', 'month'] as const
/** Where the balance of a check comes from: a person, or a file. */
export const checkSources = ['manual', 'import'] as const
/** Whether the balance of an account equals that of the bank. */
export const checkStates = ['ok', 'broken'] as const
/** What explains the difference of a check that never was ok. */
export const candidateKinds = ['missing_or_extra', 'reversed', 'duplicate', 'starting_balance'] as const
/** What a change did that moved a balance of the past. */
export const loggedOperations = [
  'created',
  'updated',
  'deleted',
  'starting_balance',
  'account_deleted',
] as const
/** The same, with `many` for changes that are not listed one by one. */
export const balanceChangeKinds = [...loggedOperations, 'many'] as const
/** Who made a change: a session, a named token, or the service itself. */
export const writerKinds = ['session', 'token', 'service'] as const
/** Why transactions changed, if not because a person wanted these changes one by one. */
export const changeCauses = ['import', 'match', 'undo', 'recurring'] as const
/** The nouns of uploads and of the change feed. */
export const changedNouns = [
  'profile',
  'account',
  'category',
  'recurring',
  'transaction',
  'balance_check',
] as const
/** Where a booking is that would be on a Saturday or Sunday: there, on the Friday before or the Monday after. */
export const weekendShifts = ['keep', 'before', 'after'] as const
/** The states of an occurrence. */
export const occurrenceStates = ['due', 'upcoming', 'recorded', 'skipped'] as const
/** The versions of a row that a write accepts, each between commas (`,3,4,`); undefined if it accepts any. */
export type ExpectedVersions = string | undefined

/** Why a record of a file is not a row. */
export const leftOutReasons = [
  'told',
  'before_header',
  'after_rows',
  'header_again',
  'total',
  'balance',
  'starting_balance',
  'pending',
  'not_booked',
  'declined',
  'other_account',
  'zero',
  'hidden',
  'no_movement',
  'split_parent',
  'note',
  'reconciled',
] as const
