/** `starting_balance` as `startingBalance`. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type ColumnsOf<Input> = { [Name in keyof Input as CamelCase<Name & string>]: Input[Name] }

/** The fields of an input under the names of their columns in schema.ts: `starting_balance` as `startingBalance`. */
export function toColumns<Input extends object>(input: Input): ColumnsOf<Input> {
  const camelCase = (name: string) => name.replace(/_./g, (match) => match.charAt(1).toUpperCase())
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [camelCase(name), value]),
  ) as ColumnsOf<Input>
}
