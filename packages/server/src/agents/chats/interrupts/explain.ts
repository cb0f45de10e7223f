// Explains a call that waits for approval. The agent's own model writes the explanation; without its answer, the tool's
// declaration is used.
import type { Explanation } from '@millrace/contract/chat-answers'
import { isRecord } from '@millrace/contract/json'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { startRun } from '#execution/runs/service.ts'
import { waitForEnd } from '#execution/tasks/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { mayWrite } from '#platform/tenancy/visibility.ts'
import { loadVersion, type Version } from '../../agents/service.ts'
import { assertChatReadable } from '../access.ts'
import { readAnswer } from '../loop/model-answer.ts'
import { coreRequest } from '../runs/model.ts'
import * as store from '../store.ts'

const readableCall = async (ctx: Ctx<Member>, chatId: string, id: string) => {
  const chat = await assertChatReadable(ctx, await store.findChat(ctx.db, chatId))
  const call = await store.findCall(ctx.db, id)
  if (!call || call.chat_id !== chat.id) throw fail('not_found', 'Tool call not found')
  return { chat, call }
}

const risky = new Set(['hook', 'http', 'call', 'mcp', 'app'])

/** An explanation from the tool's declaration, without the model. */
export const plainExplanation = (call: store.CallRow, description: string): Explanation => ({
  risk_level: risky.has(call.type) ? 'medium' : 'low',
  explanation: `Calls the tool ${call.name}${description === '' ? '' : `: ${description}`}`,
  reasoning: `The tool has the type ${call.type}.`,
  risk: risky.has(call.type)
    ? 'It has effects outside of this conversation.'
    : 'It has effects only within this conversation.',
})

const prompt = (call: store.CallRow, description: string): string =>
  [
    'An agent wants to call a tool. Explain to the person who has to approve it what the call would do and how risky it is.',
    'Answer with JSON only: {"risk_level": "low" | "medium" | "high", "explanation": string, "reasoning": string, "risk": string}.',
    `Tool: ${call.name} (${call.type})`,
    `Description: ${description}`,
    `Arguments: ${JSON.stringify(call.arguments).slice(0, 20_000).toWellFormed()}`,
  ].join('\n')

const levels = ['low', 'medium', 'high'] as const

const readExplanation = (text: string): Explanation | undefined => {
  const body = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  try {
    const given: unknown = parseUntrustedJson(body)
    if (!isRecord(given)) return undefined
    const level = levels.find((one) => one === given.risk_level)
    if (level === undefined || typeof given.explanation !== 'string') return undefined
    const textAt = (key: string) => (typeof given[key] === 'string' ? given[key] : '')
    return { risk_level: level, explanation: given.explanation, reasoning: textAt('reasoning'), risk: textAt('risk') }
  } catch {
    return undefined
  }
}

const timeoutMs = 20_000

const callModel = async (
  ctx: Ctx<Member>,
  call: store.CallRow,
  version: Version,
  description: string,
): Promise<Explanation | undefined> => {
  const run = await store.findRun(ctx.db, call.run_id)
  const core = version.config.core_app
  if (!run || !core) return undefined
  const input = { system_prompt: '', context: [], role: 'user', text: prompt(call, description) }
  const origin = { visibility: 'private' }
  const task = await startRun(ctx.as(runActor(run)), { ...coreRequest(core), input }, origin).catch(
    (error: unknown) => {
      if (isFailure(error)) return undefined
      throw error
    },
  )
  if (!task) return undefined
  const signal = AbortSignal.any([ctx.signal, AbortSignal.timeout(timeoutMs)])
  const { row } = await waitForEnd({ ...ctx, signal }, task.id)
  return readExplanation(readAnswer(row.output).text)
}

const declared = (version: Version | undefined, call: store.CallRow): string =>
  version?.config.tools.find(({ name }) => name === call.name)?.description ?? ''

/** The explanation without a model call. */
export const explainPlainly = async (ctx: Ctx<Member>, chatId: string, id: string): Promise<Explanation> => {
  const { call } = await readableCall(ctx, chatId, id)
  const run = await store.findRun(ctx.db, call.run_id)
  const version = run && (await loadVersion(ctx.db, run.agent_version_id))
  return (call.explanation as Explanation | null) ?? plainExplanation(call, declared(version, call))
}

/** The model's explanation, requested once per call. */
export const explain = async (
  ctx: Ctx<Member>,
  plain: Explanation,
  chatId: string,
  id: string,
): Promise<Explanation> => {
  const { chat, call } = await readableCall(ctx, chatId, id)
  // The model runs with the rights and at the cost of the run's user, so readers without write access do not start it.
  if (call.explanation !== null || mayWrite(ctx.actor, chat) !== 'yes') return plain
  const run = await store.findRun(ctx.db, call.run_id)
  const version = run && (await loadVersion(ctx.db, run.agent_version_id))
  const fromModel = version && (await callModel(ctx, call, version, declared(version, call)))
  if (fromModel) await store.setExplanation(ctx.db, call.id, fromModel)
  return fromModel ?? plain
}
