import { readFileSync } from 'node:fs'
import path from 'node:path'
import { contractChecker } from '../contract.ts'

/** The OpenAPI document as it is served; vitest.config.ts has it built. */
export const documentFile = path.join(import.meta.dirname, '../../dist/reference/api/openapi.json')

/** What of an answer is not as the document says. */
export const faultsOfAnswer = contractChecker(JSON.parse(readFileSync(documentFile, 'utf8')))
