export {
  type Layout,
  type Reading,
  type Row,
  readStatement,
  type StatementOptions,
} from './read-statement.ts'
export { type Kind, type Recognised, recognise } from './recognise.ts'
export { allRows, type Settled } from './shared/aspect.ts'
export type { Answers, Known, Remembered } from './shared/options.ts'
export { maxRows } from './shared/problems.ts'
export type { Balance, LeftOut, Reason } from './shared/statement.ts'
export type { Problem } from './shared/unreadable.ts'
export { ownProduct } from './tables/reading/own-export.ts'
