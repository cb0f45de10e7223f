// Encrypted columns, as declared by features, so that a rotation needs no knowledge of features.

declare module '../core/ctx.ts' {
  interface Platform {
    /** All encrypted columns of the features. */
    readonly sealedColumns: readonly SealedColumn[]
  }
}

declare module '../core/feature.ts' {
  interface Feature {
    /** Columns with long-lived encrypted values, which a rotation re-encrypts. */
    readonly sealedColumns?: readonly SealedColumn[]
  }
}

export type SealedColumn = {
  table: string
  /** The name ends in `_sealed`. */
  column: `${string}_sealed`
  /** The column with the workspace whose data key is used; null for the platform's key. */
  teamColumn: string | null
  /** The columns that identify a row, if not `id`. */
  idColumns?: readonly string[]
}

/** `sealBinding('users', id, 'totp_secret_sealed')`: the text that binds an encrypted value to its row and column. */
export const sealBinding = (table: string, id: string, column: `${string}_sealed`): string =>
  `${table}/${id}/${column.replace(/_sealed$/, '')}`
