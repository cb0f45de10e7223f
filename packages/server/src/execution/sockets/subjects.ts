// Bus subjects of the relay.
import Type from 'typebox'
import { subjectOf } from '#platform/core/subject.ts'

/** The socket's task has ended; every server that holds an end closes it. */
export const socketOver = subjectOf('socket_over', 'everyone', Type.Null())
