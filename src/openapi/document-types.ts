/** A JSON Schema of the 2020-12 draft, which OpenAPI 3.1 uses. */
export type JsonSchema = { [keyword: string]: unknown }

/** A response in the document. */
export type ResponseObject = {
  description: string
  headers: Record<string, { $ref: string }>
  content?: Record<string, { schema: JsonSchema; example?: unknown }>
}
/** A response, or a reference to one that several endpoints share. */
export type ResponseReference = ResponseObject | { $ref: string }
export type OperationObject = {
  operationId: string
  responses: Record<string, ResponseReference>
} & JsonSchema

/** The OpenAPI document (spec.openapis.org/oas/v3.1.1), with the parts that this code reads. */
export type OpenApiDocument = {
  openapi: string
  paths: Record<string, Record<string, OperationObject>>
  components: {
    schemas: Record<string, JsonSchema>
    headers: Record<string, JsonSchema>
    responses: Record<string, ResponseObject>
  } & JsonSchema
} & JsonSchema
