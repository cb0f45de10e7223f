// A call of a tool that another feature brought has come to its end.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { takeCallEnd } from './drive.ts'
import * as store from './store.ts'

/** In the transaction that records the end. A call that was cancelled meanwhile stays as it is. */
export const endToolCall = async (
  ctx: Ctx<Actor>,
  callId: string,
  ended: { status: 'completed' | 'failed'; result: string },
): Promise<void> => {
  const call = await store.findCall(ctx.db, callId)
  if (call?.status === 'in_progress')
    await takeCallEnd(ctx, { chatId: call.chat_id, runId: call.run_id, id: call.id }, ended)
}
