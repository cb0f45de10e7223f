// Subjects that several features use.
import type { Scope } from '@millrace/contract/scope-catalog'
import Type from 'typebox'
import { subjectOf } from '../core/subject.ts'

/** `needs` and `only` restrict the receivers: holders of a scope, one user. Without them, everyone in the workspace. */
export type TeamUpdate = {
  readonly name: string
  readonly data: object
  readonly fields?: readonly string[]
  readonly needs?: Scope
  readonly only?: string
}

/** Changes in a workspace, for everyone who follows it. */
export const teamSubject = subjectOf(
  'team',
  'everyone',
  Type.Unsafe<TeamUpdate>(Type.Object({ name: Type.String(), data: Type.Object({}) })),
)

/** Changed fields of a row, for users who may read it. */
export const rowUpdate = (
  name: string,
  row: { id: string; user_id: string; visibility: string },
  fields: Record<string, unknown>,
  needs: Scope,
): TeamUpdate => ({
  name,
  data: { id: row.id, ...fields },
  fields: Object.keys(fields),
  needs,
  ...(row.visibility === 'private' && { only: row.user_id }),
})
