// Names on the bus that several features share.
import type { Scope } from '@millrace/contract/scope-catalog'
import Type from 'typebox'
import { subjectOf } from '../core/subject.ts'

/** `needs` and `only` say who hears of it: holders of a scope, one person; everyone in the workspace when absent. */
export type TeamNews = {
  readonly name: string
  readonly data: object
  readonly fields?: readonly string[]
  readonly needs?: Scope
  readonly only?: string
}

/** What changed in a workspace, told to everyone who follows it. */
export const teamSubject = subjectOf(
  'team',
  'everyone',
  Type.Unsafe<TeamNews>(Type.Object({ name: Type.String(), data: Type.Object({}) })),
)

/** Some fields of a row that changed, for those who may read the row. */
export const rowNews = (
  name: string,
  row: { id: string; user_id: string; visibility: string },
  fields: Record<string, unknown>,
  needs: Scope,
): TeamNews => ({
  name,
  data: { id: row.id, ...fields },
  fields: Object.keys(fields),
  needs,
  ...(row.visibility === 'private' && { only: row.user_id }),
})
