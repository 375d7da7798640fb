/** `starting_balance` as `startingBalance`. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** A column for each field of an input. The values of a write satisfy it, so the compiler reports a missing field. */
export type ColumnsOf<Input> = Record<CamelCase<keyof Input & string>, unknown> & Record<string, unknown>
