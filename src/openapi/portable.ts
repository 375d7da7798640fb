import * as types from '../domain/types.ts'
import type { JsonSchema } from './document-types.ts'

type Components = Record<string, JsonSchema>

/** The enums of the document by name. For an enum without a name, generators make a type in each place. */
const enums: Record<string, { enum: readonly string[]; description: string }> = {
  AccountType: { enum: types.accountTypes, description: 'Where the money is.' },
  AccountKind: { enum: types.accountKinds, description: 'What an account is to its user.' },
  CategoryType: { enum: types.categoryTypes, description: 'What the category is for.' },
  TransactionType: { enum: types.transactionTypes, description: 'The direction in which money moves.' },
  TokenAbility: { enum: types.tokenAbilities, description: 'What a named token may do.' },
  SyncState: { enum: types.syncStates, description: 'How far the processing of an offline batch has got.' },
  SyncItemOutcome: { enum: types.itemOutcomes, description: 'The outcome of one item of an offline batch.' },
  OperationKind: { enum: types.operationKinds, description: 'What an operation does.' },
  OperationNoun: { enum: types.changedNouns, description: 'The kind of row that an operation is about.' },
  OperationOutcome: { enum: types.operationOutcomes, description: 'The outcome of an operation.' },
  RowType: { enum: types.rowTypes, description: 'The type of an account, a category or a transaction.' },
  ImportKind: { enum: types.importKinds, description: 'A generic CSV file, or a bank statement.' },
  ExportFormat: { enum: types.exportFormats, description: 'The form of an export.' },
  DecimalSeparator: { enum: types.decimalSeparators, description: 'The mark between whole units and cents.' },
  MatchKind: { enum: types.matchKinds, description: 'In what way two transactions are one event.' },
  ListedMatchKind: {
    enum: types.listedMatchKinds,
    description: 'In what way two transactions are one event, or that one is an occurrence.',
  },
  MatchCertainty: {
    enum: types.matchCertainties,
    description: 'Whether either transaction could also match another.',
  },
  MatchMode: {
    enum: types.matchModes,
    description: 'What to do about possible duplicates and transfers.',
  },
  CategoriseMode: { enum: types.categoriseModes, description: 'How imported rows get their categories.' },
  FeeConvention: {
    enum: types.feeConventions,
    description: 'Whether the amounts of a file contain the fees beside them.',
  },
  ReportInterval: { enum: types.reportIntervals, description: 'How far apart the points of a report are.' },
  BalanceCheckState: { enum: types.checkStates, description: 'Whether a balance is that of the bank.' },
  BalanceCheckSource: { enum: types.checkSources, description: 'Where the balance of a check comes from.' },
  BalanceCheckMode: { enum: types.checkModes, description: 'Whether balances in files become checks.' },
  ReconciledMode: {
    enum: types.reconciledModes,
    description: 'What to do with rows that would change a reconciled period.',
  },
  BalanceChangeKind: { enum: types.balanceChangeKinds, description: 'In what way a balance was changed.' },
  WeekendShift: { enum: types.weekendShifts, description: 'Where an occurrence on a weekend is booked.' },
  OccurrenceState: { enum: types.occurrenceStates, description: 'What has become of an occurrence.' },
  WriterKind: { enum: types.writerKinds, description: 'Who made a change.' },
  CandidateKind: { enum: types.candidateKinds, description: 'What would explain a difference.' },
  LeftOutReason: { enum: types.leftOutReasons, description: 'Why a record of a file is not a row.' },
  SignConvention: { enum: types.signAnswers, description: 'What positive amounts in a file mean.' },
}

/**
 * Rewrites a schema in place for generators of all languages: an enum becomes a reference to its component, which is added
 * to `components`; a nullable type becomes `[type, "null"]`; a date loses its pattern.
 */
export function makePortable(schema: JsonSchema, components: Components): void {
  for (const part of partsOf(schema)) makePortable(part, components)
  mergeNull(schema)
  if (schema.enum) nameEnum(schema, components)
  // Typed languages parse these into dates, which have no pattern.
  if (schema.format === 'date' || schema.format === 'date-time') delete schema.pattern
  // Few generators know the keyword, and keys of JSON are always strings.
  delete schema.propertyNames
}

/** The schemas directly inside a schema. */
export function partsOf(schema: JsonSchema): JsonSchema[] {
  const { properties = {}, anyOf = [], items, additionalProperties } = schema
  const parts = [...Object.values(properties as Components), ...(anyOf as JsonSchema[]), items]
  return [...parts, additionalProperties].filter(
    (part): part is JsonSchema => typeof part === 'object' && part !== null,
  )
}

/** Merges `anyOf` of a type and null into `[type, "null"]`. A reference has no shorter form. */
function mergeNull(schema: JsonSchema): void {
  const [first, second, ...others] = (schema.anyOf ?? []) as JsonSchema[]
  if (second?.type !== 'null' || typeof first?.type !== 'string' || others.length > 0) return
  delete schema.anyOf
  Object.assign(schema, { ...first, ...schema, type: [first.type, 'null'] })
}

/** Throws for an enum without a name. */
function nameEnum(schema: JsonSchema, components: Components): void {
  const words = JSON.stringify(schema.enum)
  const found = Object.entries(enums).find(([, known]) => JSON.stringify(known.enum) === words)
  if (!found) throw new Error(`The enum ${words} has no name in src/openapi/portable.ts`)
  const [name, component] = found
  components[name] = { type: 'string', ...component }
  delete schema.type
  delete schema.enum
  schema.$ref = `#/components/schemas/${name}`
}
