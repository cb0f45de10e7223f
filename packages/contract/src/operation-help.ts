// What a person who calls an operation by name needs to read: the fields it takes and where each one travels.
export type OperationField = {
  readonly name: string
  readonly in: 'path' | 'query' | 'body'
  /** A JSON type, the choices of an enumeration joined by `|`, or `json` for anything. */
  readonly kind: string
  readonly required?: true
  readonly description?: string
}

export type OperationHelp = {
  readonly summary: string
  /** The scope a credential needs, or `public`, `optional`, `authenticated`. */
  readonly scope: string
  readonly fields: readonly OperationField[]
}
