// Names on the bus that several features share.
import Type from 'typebox'
import { subjectOf } from '../core/subject.ts'

export type TeamNews = { readonly name: string; readonly data: object; readonly fields?: readonly string[] }

/** What changed in a workspace, told to everyone who follows it. */
export const teamSubject = subjectOf(
  'team',
  'everyone',
  Type.Unsafe<TeamNews>(Type.Object({ name: Type.String(), data: Type.Object({}) })),
)
