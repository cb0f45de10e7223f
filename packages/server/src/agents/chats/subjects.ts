// What chats say on the bus.
import Type from 'typebox'
import { subject, subjectOf } from '#platform/core/subject.ts'
import type { ChatNews } from './events.ts'

/** Every change of a chat. */
export const chatSubject = subjectOf('chat', 'everyone', Type.Unsafe<ChatNews>(Type.Object({ seq: Type.Integer() })), {
  brief: ({ seq }) => ({ seq }),
})
/** There is a request to make. */
export const errandsSubject = subject('chats:errands', 'one', Type.Null())
