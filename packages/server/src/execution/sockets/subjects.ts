// Names on the bus that the relay listens to.
import Type from 'typebox'
import { subjectOf } from '#platform/core/subject.ts'

/** The socket's task is over; whoever holds an end closes it. */
export const socketOver = subjectOf('socket_over', 'everyone', Type.Null())
