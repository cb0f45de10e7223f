// Recognises what PostgreSQL refused, by SQLSTATE and the name of the constraint or unique index.

const uniqueViolation = '23505'

const checkViolation = '23514'

const violates = (error: unknown, code: string, constraint: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === code &&
  'constraint' in error &&
  error.constraint === constraint

export const isDuplicate = (error: unknown, constraint: string): boolean => violates(error, uniqueViolation, constraint)

/** A row that a named check does not admit. */
export const isViolated = (error: unknown, constraint: string): boolean => violates(error, checkViolation, constraint)
