// What servers tell each other about remotes. Nothing durable: whoever misses it finds the same in the rows.
import { HarnessSession } from '@millrace/contract/remotes'
import Type, { type Static } from 'typebox'
import { subjectOf } from '#platform/core/subject.ts'

const about = <const Name extends string>(type: Name) => Type.Object({ type: Type.Literal(type), runId: Type.String() })

/** For the server that holds the remote's socket. */
const RemoteNews = Type.Union([
  // A command waits to be sent, or something about it changed that the machine must hear.
  about('exec'),
  about('signal'),
  about('input'),
  Type.Object({ type: Type.Literal('resize'), runId: Type.String(), cols: Type.Integer(), rows: Type.Integer() }),
  Type.Object({ type: Type.Literal('sessions'), requestId: Type.String(), cwd: Type.Optional(Type.String()) }),
  // What is said to a coding agent, or is to be.
  Type.Object({ type: Type.Literal('session'), chatId: Type.String() }),
  // Another connection took this one's place.
  Type.Object({ type: Type.Literal('replaced'), connection: Type.Integer() }),
  Type.Object({ type: Type.Literal('cut'), reason: Type.String() }),
])
export type RemoteNews = Static<typeof RemoteNews>

/** To everyone: while one connection replaces another, two servers hold it. */
export const remoteNews = subjectOf('remote', 'everyone', RemoteNews)

/** More output, or another status. */
export const execNews = subjectOf('exec', 'everyone', Type.Null())

/** The answer to a question that was put to a machine. */
export const remoteAnswer = subjectOf('remote_answer', 'everyone', Type.Array(HarnessSession))
