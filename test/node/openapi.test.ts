import { readFile } from 'node:fs/promises'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { expect, test } from 'vitest'
import { documentFile } from './fixtures/document.ts'

/** What the linter's strictest rules find in a document, as `rule pointer`. */
async function lint(source: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source, absoluteRef: documentFile, config })
  return problems.map(({ ruleId, location: [place] }) => `${ruleId} ${place?.pointer}`)
}

test('a strict linter finds nothing wrong with the document', async () => {
  const problems = await lint(await readFile(documentFile, 'utf8'))
  expect(problems.sort()).toEqual([
    // The types of a change's `data`, which generators could not tell apart.
    'no-unused-components #/components/schemas/ChangedAccount',
    'no-unused-components #/components/schemas/ChangedBalanceCheck',
    'no-unused-components #/components/schemas/ChangedCategory',
    'no-unused-components #/components/schemas/ChangedRecurring',
    'no-unused-components #/components/schemas/ChangedTransaction',
    // Both always redirect, but to the linter only 2XX is success.
    'operation-2xx-response #/paths/~1api~1auth~1idp~1callback/get/responses',
    'operation-2xx-response #/paths/~1api~1email~1verify~1{id}~1{hash}/get/responses',
  ])
})

test('the linter finds mistakes that were planted', async () => {
  const document = JSON.parse(await readFile(documentFile, 'utf8'))
  document.paths['/api/accounts'].get.operationId = 'showAccount'
  document.components.schemas.Account.examples = [{ id: 'one' }]
  const rules = (await lint(JSON.stringify(document))).map((problem) => problem.split(' ')[0])
  expect(rules).toEqual(
    expect.arrayContaining(['operation-operationId-unique', 'no-invalid-schema-examples']),
  )
})
