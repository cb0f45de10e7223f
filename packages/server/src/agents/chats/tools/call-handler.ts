// Calls the webhook of a lifecycle hook and parses its answer.
import type { LifecycleHook } from '@millrace/contract/agents'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { allowed, type HandlerAnswer, readHandlerAnswer } from '../loop/hook-answer.ts'

const webhookSeconds = 30
/** Less than the lease of an errand, so that no handler is called twice for one event. */
const maxSeconds = 100

export const hookTimeoutMs = ({ timeout }: Pick<LifecycleHook, 'timeout'>): number =>
  Math.min(timeout || webhookSeconds, maxSeconds) * 1000

/** No answer counts as "allow". */
export const callHandler = async (
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
      timeoutMs: hookTimeoutMs(hook),
      maxBytes: 1024 * 1024,
    })
    const text = await response.text()
    return response.ok && text !== '' ? readHandlerAnswer(parseUntrustedJson(text)) : allowed
  } catch (error) {
    ctx.log.info({ err: error, event: hook.event }, 'a hook did not answer, which counts as allow')
    return allowed
  }
}
