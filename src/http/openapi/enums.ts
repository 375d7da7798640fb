import {
  accountTypes,
  categoryTypes,
  decimalSeparators,
  importKinds,
  itemOutcomes,
  syncStates,
  transactionTypes,
} from '../../domain/types.ts'
import type { JsonSchema } from './document-types.ts'

/**
 * Every enum of the document by its name, found by its words: a schema with words that are not listed here has no
 * document. An enum without a name becomes a type of its own in each place where a generator meets it.
 */
const enums: Record<string, { enum: readonly string[]; description: string }> = {
  AccountType: { enum: accountTypes, description: 'Where the money is.' },
  CategoryType: { enum: categoryTypes, description: 'What the category is meant for.' },
  TransactionType: { enum: transactionTypes, description: 'The direction in which money moves.' },
  SyncState: { enum: syncStates, description: 'How far an offline batch has come.' },
  ItemOutcome: { enum: itemOutcomes, description: 'What became of one item of an offline batch.' },
  ImportKind: { enum: importKinds, description: 'A generic CSV file, or a bank statement.' },
  DecimalSeparator: { enum: decimalSeparators, description: 'The mark between whole units and cents.' },
}

/** The component that stands for an enum with these words. Throws where it has none. */
export function enumOf(words: unknown): { name: string; component: JsonSchema } {
  const key = JSON.stringify(words)
  const found = Object.entries(enums).find(([, known]) => JSON.stringify(known.enum) === key)
  if (!found) throw new Error(`The enum ${key} has no name in src/http/openapi/enums.ts`)
  const [name, { enum: listed, description }] = found
  return { name, component: { type: 'string', enum: [...listed], description } }
}
