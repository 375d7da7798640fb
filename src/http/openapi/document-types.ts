import type { JsonSchema } from './json-schema.ts'

/** One answer as the document has it. */
export type AnswerObject = {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: JsonSchema; example?: unknown }>
}
export type OperationObject = { operationId: string; responses: Record<string, AnswerObject> } & JsonSchema

/** The OpenAPI document (spec.openapis.org/oas/v3.1.1), as far as its readers here look into it. */
export type OpenApiDocument = {
  openapi: string
  paths: Record<string, Record<string, OperationObject>>
  components: { schemas: Record<string, JsonSchema>; headers: Record<string, JsonSchema> } & JsonSchema
} & JsonSchema
