/** `starting_balance` as `startingBalance`. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** A column for each field of an input, and perhaps more. What a write sets satisfies it, so no field is forgotten. */
export type ColumnsOf<Input> = Record<CamelCase<keyof Input & string>, unknown> & Record<string, unknown>
