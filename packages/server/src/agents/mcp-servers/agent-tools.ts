// Tools of MCP servers for agents: one by name, or all tools of a server.
import type { Tool } from '@millrace/contract/agents'
import { isRecord } from '@millrace/contract/json'
import type { McpTool } from '@millrace/contract/mcp-servers'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { clippedBytes, type ToolDefinition, type ToolKind, type ToolOutcome } from '../chats/service.ts'
import { callTarget, findTool, readAnswer } from './calls.ts'
import { resultText } from './results.ts'
import { knownTargetOfTool, type Target, targetOfTool } from './targets.ts'
import { knownToolsOf, toolsOf } from './tools.ts'

const maxResultBytes = 64 * 1024
const maxNameLength = 64

/** Several servers may have tools with the same name, so each name is prefixed with its config entry. */
export const nameWithin = (entry: string, tool: string): string =>
  `${entry}_${tool.replace(/[^a-zA-Z0-9_-]+/g, '_')}`.slice(0, maxNameLength)

const describeTool = (target: Target, name: string, entry: Tool, tool: McpTool): ToolDefinition => ({
  name,
  remote: { server: target.slug, tool: tool.name },
  description: (entry.mcp?.tool_name && entry.description) || tool.description || tool.title || '',
  parameters: tool.inputSchema,
})

const describe = async (ctx: Ctx<Member>, entry: Tool): Promise<ToolDefinition[] | undefined> => {
  const target = await knownTargetOfTool(ctx, entry)
  const tools = target && (await knownToolsOf(ctx, target))
  if (!target || !tools) return undefined
  const named = entry.mcp?.tool_name
  if (!named) return tools.map((tool) => describeTool(target, nameWithin(entry.name, tool.name), entry, tool))
  return tools.filter(({ name }) => name === named).map((tool) => describeTool(target, entry.name, entry, tool))
}

const discover = async (ctx: Ctx<Member>, entry: Tool): Promise<void> => {
  await toolsOf(ctx, await targetOfTool(ctx, entry))
}

const toolOfCall = async (ctx: Ctx<Member>, target: Target, entry: Tool, name: string): Promise<McpTool> => {
  const named = entry.mcp?.tool_name
  if (named) return findTool(ctx, target, named)
  const tools = (await knownToolsOf(ctx, target)) ?? (await toolsOf(ctx, target))
  const found = tools.find((tool) => nameWithin(entry.name, tool.name) === name)
  return found ?? findTool(ctx, target, name.slice(entry.name.length + 1))
}

type AnswerRounds = { round: number; responses: Record<string, unknown>; state?: string }

const parsed = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = parseUntrustedJson(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** All answers so far, including this round's. */
const roundsOf = (answer: { result: string; data: unknown } | undefined): AnswerRounds => {
  if (!answer) return { round: 0, responses: {} }
  const data = isRecord(answer.data) ? answer.data : {}
  const before = isRecord(data.input_responses) ? data.input_responses : {}
  return {
    round: typeof data.round === 'number' ? data.round : 1,
    responses: { ...before, ...parsed(answer.result) },
    ...(typeof data.request_state === 'string' && { state: data.request_state }),
  }
}

/** Each answer must belong to a pending question, and must say whether its form was accepted. */
const assertAnswers: ToolKind['assertAnswers'] = (data, result) => {
  const questions = isRecord(data) && isRecord(data.input_requests) ? data.input_requests : {}
  const answers = Object.entries(parsed(result))
  const isAnswer = ([key, answer]: [string, unknown]): boolean => {
    const question = Object.hasOwn(questions, key) ? questions[key] : undefined
    if (!isRecord(question)) return false
    return question.method === 'elicitation/create' ? readAnswer(answer) !== undefined : isRecord(answer)
  }
  if (answers.length === 0 || !answers.every(isAnswer)) {
    const keys = Object.keys(questions).join(', ')
    throw fail('validation_error', `result must answer ${keys}: {"<key>": {"action": "accept", "content": {}}}`)
  }
}

const maxRounds = 10

const callOfAgent: ToolKind['call'] = async (
  ctx,
  entry,
  { name, arguments: given, answer, traceparent },
): Promise<ToolOutcome> => {
  const target = await targetOfTool(ctx, entry)
  const { round, responses, state } = roundsOf(answer)
  if (round >= maxRounds)
    return { status: 'failed', result: `${target.title} requested input more than ${maxRounds} times` }
  try {
    const tool = await toolOfCall(ctx, target, entry, name)
    const made = { arguments: given, responses, ...(state !== undefined && { state }) }
    const { result, credentialId } = await callTarget(ctx, target, tool, made, traceparent)
    if (result.input_required) {
      const { input_required, input_requests, request_state } = result
      const question = { input_required, input_requests, ...(request_state !== undefined && { request_state }) }
      return { status: 'awaiting_input', data: { ...question, round: round + 1, input_responses: responses } }
    }
    return {
      status: result.is_error ? 'failed' : 'completed',
      result: clippedBytes(resultText(result), maxResultBytes),
      used: { server: target.slug, tool: tool.name, ...(credentialId !== null && { credential_id: credentialId }) },
    }
  } catch (error) {
    if (isFailure(error, 'requirements_not_met') && target.provider !== null)
      return { status: 'auth_required', provider: target.provider, message: error.message }
    throw error
  }
}

export const mcpToolKind: ToolKind = { describe, discover, assertAnswers, call: callOfAgent }
