/** An answer other than success, in the shape Resend gives it: `{statusCode, name, message}`. */
export class ResendError extends Error {
  statusCode: number

  constructor(statusCode: number, name: string, message: string) {
    super(message)
    this.statusCode = statusCode
    this.name = name
  }

  toJSON() {
    return { statusCode: this.statusCode, name: this.name, message: this.message }
  }
}

/** A field that Resend requires is missing. */
export function missingField(field: string): ResendError {
  return new ResendError(422, 'missing_required_field', `Missing \`${field}\` field.`)
}

/** A field is present but wrong. */
export function invalid(message: string): ResendError {
  return new ResendError(422, 'validation_error', message)
}

/** There is no such email, or no such endpoint. */
export function notFound(message: string): ResendError {
  return new ResendError(404, 'not_found', message)
}

/** The request carries no API key. */
export function missingApiKey(): ResendError {
  return new ResendError(401, 'missing_api_key', 'Missing API key in the authorization header.')
}
