// Bus subjects of chats.
import Type from 'typebox'
import { subject, subjectOf } from '#platform/core/subject.ts'
import type { ChatUpdate } from './events.ts'

/** Every change of a chat. */
export const chatSubject = subjectOf(
  'chat',
  'everyone',
  Type.Unsafe<ChatUpdate>(Type.Object({ seq: Type.Integer() })),
  {
    brief: ({ seq }) => ({ seq }),
  },
)
/** An errand is pending. */
export const errandsSubject = subject('chats:errands', 'one', Type.Null())
