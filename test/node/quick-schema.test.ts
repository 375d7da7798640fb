import { readFileSync } from 'node:fs'
import { Validator } from '@cfworker/json-schema'
import { expect, test } from 'vitest'
import type { JsonSchema, OpenApiDocument } from '../../src/openapi/document-types.ts'
import { closed } from '../contract.ts'
import { quickTests } from '../quick-schema.ts'
import { documentFile } from './document.ts'

const document: OpenApiDocument = JSON.parse(readFileSync(documentFile, 'utf8'))
const components = closed(document.components) as OpenApiDocument['components']
const testOf = quickTests(components.schemas)

/** Every answer that is JSON, with an example of it, by the name or the text of its schema. */
const answers = new Map<string, { schema: JsonSchema; example: unknown }>()
const described = Object.values(document.paths).flatMap(Object.values) as { responses?: object }[]
for (const answer of [
  ...described.flatMap(({ responses = {} }) => Object.values(responses)),
  ...Object.values(components.responses),
])
  for (const { schema, example } of Object.values(answer.content ?? {}) as {
    schema: JsonSchema
    example?: unknown
  }[]) {
    const named = components.schemas[String(schema.$ref).split('/').at(-1) ?? '']
    const shown = example ?? (named?.examples as unknown[] | undefined)?.[0]
    if (shown instanceof Object) answers.set(JSON.stringify(schema), { schema, example: shown })
  }

const others = [null, true, -1, 1.5, '', 'x', '2026-02-31', 'x'.repeat(70_000), [], {}, [{}], { x: 1 }]

/** A value with one part of it changed, left out or added, in every way. */
function* mutants(value: unknown): Generator<unknown> {
  yield* others
  if (Array.isArray(value)) {
    yield [...value, ...value]
    for (const [place, part] of value.entries())
      for (const mutant of mutants(part)) yield value.with(place, mutant)
  } else if (value instanceof Object) {
    yield { ...value, colour: 'red' }
    for (const [name, part] of Object.entries(value)) {
      const { [name]: _, ...rest } = value as Record<string, unknown>
      yield rest
      for (const mutant of mutants(part)) yield { ...value, [name]: mutant }
    }
  }
}

test('the quick test of an answer knows every keyword, and agrees with a validator', () => {
  expect(answers.size).toBeGreaterThan(20)
  let refused = 0
  for (const { schema, example } of answers.values()) {
    const fits = testOf(closed(schema) as JsonSchema)
    const validator = new Validator({ ...(closed(schema) as JsonSchema), components }, '2020-12')
    expect([schema, fits(example)]).toEqual([schema, true])
    for (const mutant of mutants(example)) {
      const isValid = validator.validate(mutant).valid
      if (!isValid) refused += 1
      if (fits(mutant) !== isValid) expect([schema, mutant, fits(mutant)]).toEqual([schema, mutant, isValid])
    }
  }
  expect(refused).toBeGreaterThan(1_000)
})
