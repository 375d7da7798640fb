/** A JSON Schema of the 2020-12 draft, which OpenAPI 3.1 uses. */
export type JsonSchema = { [keyword: string]: unknown }

/** One answer as the document has it. */
export type AnswerObject = {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: JsonSchema; example?: unknown }>
}
/** An answer, or the name of one that several endpoints share. */
export type AnswerReference = AnswerObject | { $ref: string }
export type OperationObject = {
  operationId: string
  responses: Record<string, AnswerReference>
} & JsonSchema

/** The OpenAPI document (spec.openapis.org/oas/v3.1.1), as far as this code reads it. */
export type OpenApiDocument = {
  openapi: string
  paths: Record<string, Record<string, OperationObject>>
  components: {
    schemas: Record<string, JsonSchema>
    headers: Record<string, JsonSchema>
    responses: Record<string, AnswerObject>
  } & JsonSchema
} & JsonSchema
