// Help for calling an operation by name: its fields and their place in the request.
export type OperationField = {
  readonly name: string
  readonly in: 'path' | 'query' | 'body'
  /** A JSON type, the values of an enumeration joined by `|`, or `json` for any value. */
  readonly kind: string
  readonly required?: true
  readonly description?: string
}

export type OperationHelp = {
  readonly summary: string
  /** The required scope, or `public`, `optional`, `authenticated`. */
  readonly scope: string
  readonly fields: readonly OperationField[]
}
