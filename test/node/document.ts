import { readFileSync } from 'node:fs'
import path from 'node:path'
import { contractChecker } from '../contract.ts'

/** The OpenAPI document as it is served, which vitest.config.ts builds. */
export const documentFile = path.join(import.meta.dirname, '../../dist/reference/api/openapi.json')

/** Where a response differs from the document. */
export const faultsOfResponse = contractChecker(JSON.parse(readFileSync(documentFile, 'utf8')))
