import { format, ucs2length } from '@cfworker/json-schema'
import type { JsonSchema } from '../src/openapi/document-types.ts'

type Test = (value: unknown) => boolean
/** The test that a keyword stands for, given its value and the rest of its schema. */
type Keyword = (said: never, schema: JsonSchema, testOf: (schema: JsonSchema | boolean) => Test) => Test
type Schemas = Record<string, JsonSchema>

/**
 * Makes tests of whether values fit schemas, many times as fast as those of a library, since they give no reasons. They
 * are for values that nearly always fit: a value that fails a test may still fit its schema, if that has a keyword that
 * is unknown here. `schemas` are those that others refer to by name.
 */
export function quickTests(schemas: Schemas): (schema: JsonSchema | boolean) => Test {
  const named = new Map<unknown, Test>()
  const reference = (name: string): Test => {
    const found = schemas[name.replace('#/components/schemas/', '')]
    const test = named.get(name) ?? (found ? testOf(found) : () => false)
    named.set(name, test)
    return test
  }
  const testOf = (schema: JsonSchema | boolean): Test => {
    if (typeof schema === 'boolean') return () => schema
    const tests = Object.entries(schema).flatMap(([keyword, said]): Test[] => {
      // Made when it is needed: schemas may refer to each other in a circle.
      if (keyword === '$ref') return [(value) => reference(said as string)(value)]
      if (annotations.includes(keyword)) return []
      return [keywords[keyword]?.(said as never, schema, testOf) ?? (() => false)]
    })
    return (value) => tests.every((test) => test(value))
  }
  return testOf
}

const annotations = ['description', 'examples', 'title']

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const types: Record<string, Test> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: isObject,
  string: (value) => typeof value === 'string',
}

/** A keyword constrains values of one type only. */
const ofText = (test: (text: string) => boolean) => (value: unknown) =>
  typeof value !== 'string' || test(value)
const ofNumbers = (test: (number: number) => boolean) => (value: unknown) =>
  typeof value !== 'number' || test(value)
const ofLists = (test: (list: unknown[]) => boolean) => (value: unknown) =>
  !Array.isArray(value) || test(value)
const ofObjects = (test: (object: Record<string, unknown>) => boolean) => (value: unknown) =>
  !isObject(value) || test(value)

const keywords: Record<string, Keyword> = {
  type(said: string | string[]) {
    const tests = [said].flat().map((name) => types[name] ?? (() => false))
    return (value) => tests.some((test) => test(value))
  },
  enum: (said: unknown[]) => (value) => said.includes(value),
  minimum: (said: number) => ofNumbers((number) => number >= said),
  maximum: (said: number) => ofNumbers((number) => number <= said),
  minLength: (said: number) => ofText((text) => ucs2length(text) >= said),
  maxLength: (said: number) => ofText((text) => ucs2length(text) <= said),
  pattern(said: string) {
    const pattern = new RegExp(said, 'u')
    return ofText((text) => pattern.test(text))
  },
  // A format of numbers, or an unknown one, is only an annotation.
  format: (said: string) => ofText((text) => format[said]?.(text) ?? true),
  minItems: (said: number) => ofLists(({ length }) => length >= said),
  maxItems: (said: number) => ofLists(({ length }) => length <= said),
  items(said: JsonSchema | boolean, _, testOf) {
    const test = testOf(said)
    return ofLists((list) => list.every(test))
  },
  required: (said: string[]) => ofObjects((object) => said.every((name) => Object.hasOwn(object, name))),
  properties(said: Schemas, _, testOf) {
    const tests = Object.entries(said).map(([name, schema]) => [name, testOf(schema)] as const)
    return ofObjects((object) =>
      tests.every(([name, test]) => !Object.hasOwn(object, name) || test(object[name])),
    )
  },
  additionalProperties(said: JsonSchema | boolean, { properties = {} }, testOf) {
    const described = new Set(Object.keys(properties as Schemas))
    const test = testOf(said)
    return ofObjects((object) =>
      Object.keys(object).every((name) => described.has(name) || test(object[name])),
    )
  },
  anyOf(said: JsonSchema[], _, testOf) {
    const tests = said.map(testOf)
    return (value) => tests.some((test) => test(value))
  },
}
