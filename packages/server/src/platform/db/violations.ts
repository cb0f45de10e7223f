// Recognizes constraint violations by SQLSTATE and the name of the constraint or unique index.

const uniqueViolation = '23505'

const violates = (error: unknown, code: string, constraint: string): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === code &&
  'constraint' in error &&
  error.constraint === constraint

export const isDuplicate = (error: unknown, constraint: string): boolean => violates(error, uniqueViolation, constraint)
