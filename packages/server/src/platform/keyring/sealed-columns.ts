// Which columns hold sealed values, told by the features that own them, so that a data key can be rotated without
// knowing any feature. What a value is bound to follows from where it is kept.

declare module '../core/ctx.ts' {
  interface Platform {
    /** Every column that holds sealed values, as the features declare them. */
    readonly sealedColumns: readonly SealedColumn[]
  }
}

declare module '../core/feature.ts' {
  interface Feature {
    /** Columns that hold sealed values of some duration; a rotated data key seals them again. */
    readonly sealedColumns?: readonly SealedColumn[]
  }
}

export type SealedColumn = {
  table: string
  /** Ends in `_sealed`. */
  column: `${string}_sealed`
  /** The column that names the team whose data key seals; null where the platform's own key does. */
  teamColumn: string | null
  /** What identifies a row, where it is not `id`. */
  idColumns?: readonly string[]
}

/** `sealBinding('users', id, 'totp_secret_sealed')`: the text that ties a sealed value to its row and column. */
export const sealBinding = (table: string, id: string, column: `${string}_sealed`): string =>
  `${table}/${id}/${column.replace(/_sealed$/, '')}`
