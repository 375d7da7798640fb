/** `starting_balance` as `startingBalance`. */
type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

type ColumnsOf<Input> = { [Name in keyof Input as CamelCase<Name & string>]: Input[Name] }

/** The name in schema.ts of the column of a field: `startingBalance` for `starting_balance`. */
export const columnOf = <Name extends string>(name: Name) =>
  name.replace(/_./g, (match) => match.charAt(1).toUpperCase()) as CamelCase<Name>

/** The fields of an input under the names of their columns in schema.ts. */
export function toColumns<Input extends object>(input: Input): ColumnsOf<Input> {
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [columnOf(name), value]),
  ) as ColumnsOf<Input>
}
