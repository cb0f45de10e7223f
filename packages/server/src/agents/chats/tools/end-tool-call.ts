// Delivers the result of a tool call that another feature executes.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { deliverCallResult } from '../runs/drive.ts'
import * as store from '../store.ts'

/** Runs in the transaction that records the result. A call that was canceled meanwhile does not change. */
export const endToolCall = async (
  ctx: Ctx<Actor>,
  callId: string,
  ended: { status: 'completed' | 'failed'; result: string },
): Promise<void> => {
  const call = await store.findCall(ctx.db, callId)
  if (call?.status === 'in_progress')
    await deliverCallResult(ctx, { chatId: call.chat_id, runId: call.run_id, id: call.id }, ended)
}
