import type { Span } from '../../src/domain/dates.ts'
import type { FileQuestion } from '../../src/domain/file-questions.ts'
import type { Answers } from './options.ts'

/**
 * Why a row cannot be taken or, if `line` is null, the file. `field` is one of the row, the answer that would settle it, or
 * `file`; `cell` is what stands there in the file, at most 100 characters of it.
 */
export type Problem = { line: number | null; field: string; text: string; cell?: string }

/** A file that cannot be read as it is: it has problems, or questions are open. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
  readonly problems: Problem[]
  readonly questions: FileQuestion[]
  /** How the file writes dates and numbers, as far as it is settled. */
  readonly settled: Answers
  /** The days whose rows might settle a question. */
  readonly needs: Span | null

  constructor(found: Partial<Pick<Unreadable, 'problems' | 'questions' | 'settled' | 'needs'>>) {
    super('The file cannot be read as it is.')
    this.problems = found.problems ?? []
    this.questions = found.questions ?? []
    this.settled = found.settled ?? {}
    this.needs = found.needs ?? null
  }
}

/** Refuses the file as a whole, or for the answer under `field`. */
export function refuseFile(text: string, field = 'file'): never {
  throw new Unreadable({ problems: [{ line: null, field, text }] })
}
