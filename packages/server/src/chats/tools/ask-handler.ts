// Tells the address of a lifecycle hook what happens, and hears what it has to say.
import type { LifecycleHook } from '@millrace/contract/agents'
import type { Member } from '../../core/actor.ts'
import type { Ctx } from '../../core/ctx.ts'
import { allowed, type HandlerAnswer, readHandlerAnswer } from '../loop/hook-answer.ts'

const webhookSeconds = 30

/** Whoever does not answer has nothing against it. */
export const askHandler = async (
  ctx: Ctx<Member>,
  hook: LifecycleHook,
  payload: unknown,
  traceparent: string,
): Promise<HandlerAnswer> => {
  try {
    const response = await ctx.outbound.fetch(hook.handler ?? '', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(traceparent !== '' && { traceparent }) },
      body: JSON.stringify(payload),
      timeoutMs: (hook.timeout || webhookSeconds) * 1000,
      maxBytes: 1024 * 1024,
    })
    const text = await response.text()
    return response.ok && text !== '' ? readHandlerAnswer(JSON.parse(text)) : allowed
  } catch (error) {
    ctx.log.info({ err: error, event: hook.event }, 'a hook did not answer and counts as an allowance')
    return allowed
  }
}
