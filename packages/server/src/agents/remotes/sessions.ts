// Lists the sessions of a remote's coding agents, by asking the machine through the server with its socket.
import { newId } from '@millrace/contract/ids'
import type { HarnessSession } from '@millrace/contract/remotes'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { findOwn } from './lookup.ts'
import { type RemoteUpdate, remoteAnswer, remoteSubject } from './subjects.ts'

const answerMs = 10_000

export const listSessions = async (
  ctx: Ctx<Member>,
  id: string,
  cwd: string | undefined,
): Promise<HarnessSession[]> => {
  const remote = await findOwn(ctx, id)
  if (!remote.connected) throw fail('remote_offline')
  const requestId = newId()
  return new Promise((resolve, reject) => {
    const settle = (end: () => void) => () => {
      clearTimeout(timer)
      unsubscribe()
      end()
    }
    const unsubscribe = ctx.bus.subscribe(remoteAnswer(`${remote.id}/${requestId}`), (sessions) =>
      settle(() => resolve(sessions))(),
    )
    const timer = setTimeout(
      settle(() => reject(fail('remote_offline', 'The remote did not answer'))),
      answerMs,
    )
    const question: RemoteUpdate = { type: 'sessions', requestId, ...(cwd !== undefined && { cwd }) }
    ctx.emit({ subject: remoteSubject(remote.id), data: question })
  })
}
