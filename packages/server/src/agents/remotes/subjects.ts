// Bus subjects of remotes. Not durable: the same state is in the database.
import { HarnessSession } from '@millrace/contract/remotes'
import Type, { type Static } from 'typebox'
import { subjectOf } from '#platform/core/subject.ts'

const about = <const Name extends string>(type: Name) => Type.Object({ type: Type.Literal(type), runId: Type.String() })

/** For the server that has the remote's socket. */
const RemoteUpdate = Type.Union([
  // A command is ready to be sent, or a change of it must be sent.
  about('exec'),
  about('signal'),
  about('input'),
  Type.Object({ type: Type.Literal('resize'), runId: Type.String(), cols: Type.Integer(), rows: Type.Integer() }),
  Type.Object({ type: Type.Literal('sessions'), requestId: Type.String(), cwd: Type.Optional(Type.String()) }),
  // Messages for a coding agent are pending.
  Type.Object({ type: Type.Literal('session'), chatId: Type.String() }),
  // A newer connection replaced this one.
  Type.Object({ type: Type.Literal('replaced'), connection: Type.Integer() }),
  Type.Object({ type: Type.Literal('cut'), reason: Type.String() }),
])
export type RemoteUpdate = Static<typeof RemoteUpdate>

/** To all servers, because two of them have a connection while one replaces the other. */
export const remoteSubject = subjectOf('remote', 'everyone', RemoteUpdate)

/** New output, or a new status. */
export const execSubject = subjectOf('exec', 'everyone', Type.Null())

/** The answer of a machine to a request. */
export const remoteAnswer = subjectOf('remote_answer', 'everyone', Type.Array(HarnessSession))
