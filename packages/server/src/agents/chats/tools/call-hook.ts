// Calls the endpoint of a webhook tool. A success status only acknowledges the call; the result arrives at the callback
// URL with a single-use token.
import type { Tool } from '@millrace/contract/agents'
import { masker } from '@millrace/contract/mask'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure, refusalOnly } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { type KeyParts, keyOf, type ToolCallParts } from './call-http.ts'

const timeoutMs = 30_000

export type HookCall = {
  id: string
  name: string
  chatId: string
  arguments: unknown
  token: string
}

/** Masks the key of the webhook in its later messages. */
export const maskHookKey = async (
  ctx: Ctx<Member>,
  tool: Tool | undefined,
  text: string,
  parts: KeyParts,
): Promise<string> => {
  if (!tool?.hook?.secret) return text
  const key = await keyOf(ctx, tool, tool.hook.secret, parts).catch(refusalOnly)
  return isFailure(key) ? text : masker([key])(text)
}

/** Null if the endpoint accepted the call; otherwise the error for the model. */
export const callHook = async (
  ctx: Ctx<Member>,
  tool: Tool,
  call: HookCall,
  parts: ToolCallParts,
): Promise<string | null> => {
  const hook = tool.hook
  if (!hook) return 'The tool has no URL'
  try {
    const secret = hook.secret ? await keyOf(ctx, tool, hook.secret, parts) : undefined
    const response = await ctx.outbound.fetch(hook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret !== undefined && { 'X-Hook-Secret': secret }),
        ...(parts.traceparent !== '' && { traceparent: parts.traceparent }),
      },
      body: JSON.stringify({
        tool_invocation_id: call.id,
        hook_name: call.name,
        chat_id: call.chatId,
        agent_id: parts.agentId ?? '',
        agent_version_id: parts.versionId,
        callback_url: `/tools/${call.id}?token=${call.token}`,
        callback_method: 'POST',
        timestamp: wireTime(ctx.now()),
        arguments: call.arguments,
      }),
      timeoutMs,
      maxBytes: 64 * 1024,
      signal: ctx.signal,
    })
    const text = masker(secret === undefined ? [] : [secret])(await response.text())
    return response.ok ? null : `The webhook answered with status ${response.status}: ${text.slice(0, 2000)}`
  } catch (error) {
    if (isFailure(error)) return `The webhook could not be called: ${error.message}`
    throw error
  }
}
