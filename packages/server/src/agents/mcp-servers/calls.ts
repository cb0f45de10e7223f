// Calls a tool of an MCP server. If the server requests input during a call, the call is canceled and repeated once a
// person has answered.
import { isRecord } from '@millrace/contract/json'
import { masker } from '@millrace/contract/mask'
import type { McpCallResult, McpInputRequest, McpTool } from '@millrace/contract/mcp-servers'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { isRefused, protocolErrorIn, unreachable } from './failures.ts'
import { errorResult, inputRequired, toCallResult } from './results.ts'
import { type McpSession, type Parts, withSession } from './session.ts'
import * as store from './store.ts'
import { connectionTo, findTarget, notConnected, type Target } from './targets.ts'
import { toolsOf } from './tools.ts'

/** Shorter than the lease of an errand, so that a call is never made twice at once. */
const callTimeoutMs = 60_000

export type ToolCall = {
  arguments: Record<string, unknown>
  /** Answers to earlier questions, by their keys. */
  responses: Record<string, unknown>
  state?: string
}

/** The body is the arguments; in a later round it has `arguments` and the answers. */
export const readCall = (body: Record<string, unknown>): ToolCall => {
  const { arguments: given, inputResponses, requestState } = body
  if (!isRecord(given) || !isRecord(inputResponses)) return { arguments: body, responses: {} }
  return {
    arguments: given,
    responses: inputResponses,
    ...(typeof requestState === 'string' && { state: requestState }),
  }
}

type Answer = {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, string | number | boolean | string[]>
}

/** Undefined unless it accepts, declines or cancels a form. */
export const readAnswer = (given: unknown): Answer | undefined => {
  if (!isRecord(given)) return undefined
  const action = (['accept', 'decline', 'cancel'] as const).find((one) => one === given.action)
  if (action === undefined) return undefined
  return { action, ...(isRecord(given.content) && { content: given.content as Answer['content'] & {} }) }
}

/** Collects the questions that a server asks during a call, in order. */
const listenForQuestions = async ({ client }: McpSession, responses: ToolCall['responses'], onQuestion: () => void) => {
  const { ElicitRequestSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const open: Record<string, McpInputRequest> = {}
  let count = 0
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    count += 1
    const key = `input-${count}`
    const answer = readAnswer(responses[key])
    if (answer) return answer
    open[key] = { method: 'elicitation/create', params: params as Record<string, unknown> }
    onQuestion()
    // Never answered: the call is being canceled.
    return new Promise<never>(() => {})
  })
  return open
}

type CallContext = { traceparent: string; signal?: AbortSignal | undefined }

/** Removes the secrets from the answer. */
const cleaned = (answer: Record<string, unknown>, secrets: readonly string[]): Record<string, unknown> =>
  secrets.length === 0 ? answer : (JSON.parse(masker(secrets)(JSON.stringify(answer))) as Record<string, unknown>)

const request = async (
  session: McpSession,
  tool: McpTool,
  call: ToolCall,
  { traceparent, signal }: CallContext,
): Promise<McpCallResult> => {
  const { ResultSchema } = await import('@modelcontextprotocol/sdk/types.js')
  const takenBack = new AbortController()
  const open = await listenForQuestions(session, call.responses, () => takenBack.abort())
  const params = {
    name: tool.name,
    arguments: call.arguments,
    ...(Object.keys(call.responses).length > 0 && { inputResponses: call.responses }),
    ...(call.state !== undefined && { requestState: call.state }),
    // MCP defines `_meta` for trace contexts; the header is for proxies in between.
    ...(traceparent !== '' && { _meta: { traceparent } }),
  }
  const either = signal ? AbortSignal.any([signal, takenBack.signal]) : takenBack.signal
  try {
    const options = { timeout: callTimeoutMs, maxTotalTimeout: callTimeoutMs, signal: either }
    const answer = await session.client.request({ method: 'tools/call', params }, ResultSchema, options)
    return toCallResult(cleaned(answer, session.secrets), tool)
  } catch (error) {
    if (Object.keys(open).length > 0) return inputRequired(open)
    const refusal = protocolErrorIn(error)
    if (refusal === undefined) throw error
    return errorResult(masker(session.secrets)(refusal))
  }
}

/** Makes the call with the caller's connection and trace context. */
export const callTarget = async (
  ctx: Ctx<Member>,
  target: Target,
  tool: McpTool,
  call: ToolCall,
  traceparent: string,
): Promise<{ result: McpCallResult; credentialId: string | null }> => {
  const credential = await connectionTo(ctx, target)
  const parts: Parts = ctx
  const limits = { timeoutMs: callTimeoutMs, signal: ctx.signal, traceparent }
  const result = await withSession(parts, { serverUrl: target.serverUrl, credential }, limits, (session) =>
    request(session, tool, call, limits),
  ).catch(async (error: unknown) => {
    throw isRefused(error) ? await notConnected(ctx, target) : unreachable(target.title, error)
  })
  await store.countUse(ctx.db, target.serverUrl)
  return { result, credentialId: credential?.id ?? null }
}

export const findTool = async (ctx: Ctx<Member>, target: Target, name: string): Promise<McpTool> => {
  const named = ({ name: one }: McpTool) => one === name
  const tool =
    (await toolsOf(ctx, target)).find(named) ?? (await toolsOf(ctx, target, { forceRefresh: true })).find(named)
  if (!tool) throw fail('not_found', `Tool ${name} of ${target.title} not found`)
  return tool
}

export const call = async (
  ctx: Ctx<Member>,
  slug: string,
  name: string,
  body: Record<string, unknown>,
): Promise<McpCallResult> => {
  const target = await findTarget(ctx, slug)
  const tool = await findTool(ctx, target, name)
  return (await callTarget(ctx, target, tool, readCall(body), ctx.origin.traceparent)).result
}
