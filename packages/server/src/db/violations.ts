// Recognises what PostgreSQL refused, by SQLSTATE and the name of the constraint or unique index.

const uniqueViolation = '23505'

export const isDuplicate = (error: unknown, constraint: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === uniqueViolation &&
  'constraint' in error &&
  error.constraint === constraint
