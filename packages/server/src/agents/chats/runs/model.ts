// Calls the model: the conversation becomes the input of a task of the agent's core app, in the transaction of the
// step. A conversation that exceeds the context window is first compacted with the same app.
import type { CoreApp } from '@millrace/contract/agents'
import type { ContentItem } from '@millrace/contract/chats'
import { newId } from '@millrace/contract/ids'
import { isRecord } from '@millrace/contract/json'
import type { RunRequest } from '@millrace/contract/tasks'
import { startRuns } from '#execution/runs/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { notifyHooks } from '../hooks/hooks.ts'
import type { LoopEvent } from '../loop/decide.ts'
import type { Injection } from '../loop/hook-answer.ts'
import { conversation, type ModelTurn, modelInput, type PromptMessage, tokensOf, withInjected } from '../loop/prompt.ts'
import { contextValue, fill } from '../loop/template.ts'
import * as store from '../store.ts'
import { definitionOf, shownTools, undiscovered } from '../tools/offered.ts'
import { modelRequestOf, settingsOfTurn, toolsOfRun } from '../tools/requested.ts'
import {
  addErrand,
  causeOf,
  changeMessage,
  changeRun,
  newMessage,
  putMessage,
  queuedIn,
  runOf,
  type Scene,
} from './scene.ts'
import { callsOf } from './scene-store.ts'
import { skillsPrompt } from './skills.ts'
import { insideRun } from './spans.ts'

export const coreRequest = (core: CoreApp): Omit<RunRequest, 'input'> => ({
  ...(core.ref ? { app: core.ref } : { app_id: core.id }),
  ...(core.version_id && { version_id: core.version_id }),
  ...(isRecord(core.setup) && Object.keys(core.setup).length > 0 && { setup: core.setup }),
})

/** Appends the messages that arrived while the agent was busy. */
const consumeQueued = async (ctx: Ctx<Actor>, scene: Scene): Promise<void> => {
  const run = runOf(scene)
  for (const message of await queuedIn(ctx, scene)) {
    const order = scene.chat.next_order
    scene.chat.next_order += 1
    scene.chatChanged = true
    putMessage(scene, { ...message, status: 'ready', order, agent_run_id: run.id })
  }
}

/** The message that the next turn fills: the one that was announced when the run started, or a new one. */
const answerMessage = (ctx: Ctx<Actor>, scene: Scene): store.MessageRow => {
  const run = runOf(scene)
  const current = scene.messages.get(run.message_id ?? '')
  if (current?.status === 'pending') {
    // Messages queued meanwhile come before the answer.
    const last = Math.max(...[...scene.messages.values()].map(({ order }) => order))
    if (current.order < last) {
      changeMessage(scene, current.id, { order: scene.chat.next_order })
      scene.chat.next_order += 1
    }
    return current
  }
  const message = newMessage(ctx, scene, {
    role: 'assistant',
    status: 'pending',
    content: [],
    userId: run.user_id,
    runId: run.id,
  })
  changeRun(scene, { message_id: message.id })
  return message
}

/** The conversation after this step: stored messages plus the changes of the step. */
const transcriptOf = async (ctx: Ctx<Actor>, scene: Scene): Promise<ModelTurn[]> => {
  const stored = scene.isNewChat ? [] : await store.findTranscript(ctx.db, scene.chat.id)
  const rows = new Map(stored.map(({ calls: _calls, ...row }): [string, store.MessageRow] => [row.id, row]))
  for (const [id, row] of scene.messages) rows.set(id, row)
  const floor = Math.max(0, ...[...rows.values()].filter(({ role }) => role === 'compaction').map(({ order }) => order))
  const messages = [...rows.values()]
    .filter(({ status, order }) => status !== 'queued' && status !== 'cancelled' && order >= floor)
    .sort((a, b) => a.order - b.order)
  const answered = stored.filter(({ role, status }) => role === 'assistant' && status === 'ready')
  const latest = new Map(answered.flatMap((row) => callsOf(row.calls)).map((call) => [call.id, call]))
  for (const [id, call] of scene.calls) latest.set(id, call)
  const promptMessages = messages.map((row): PromptMessage => ({ ...row, content: row.content as ContentItem[] }))
  return conversation(
    promptMessages,
    [...latest.values()].sort((a, b) => a.position - b.position),
  )
}

const systemPromptOf = (scene: Scene): string => {
  const { config } = scene.version
  const context = scene.chat.context as Record<string, unknown>
  const injections = runOf(scene).injections as Injection[]
  const parts = [
    fill(config.system_prompt, contextValue(context)),
    skillsPrompt(config.skills),
    modelRequestOf(runOf(scene)).instructions ?? '',
    ...injections.filter(({ role = 'system' }) => role === 'system').map(({ content }) => content),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

const injectedTurns = (scene: Scene) =>
  (runOf(scene).injections as Injection[]).flatMap(({ role, content }) =>
    role === 'user' || role === 'assistant' ? [{ role, text: content }] : [],
  )

const defaultContextTokens = 100_000
/** The fraction of the context window that the input may fill; the rest is left for the answer. */
const maxInputShare = 0.8

const inputRoom = (settings: unknown): number => {
  const given = isRecord(settings) ? settings.context_size : undefined
  return (typeof given === 'number' && given > 0 ? given : defaultContextTokens) * maxInputShare
}

/** The input contains the agent's prompt, which readers from other workspaces must not see. */
const atMostTeam = (visibility: string): string =>
  visibility === 'public' || visibility === 'unlisted' ? 'team' : visibility

const startTask = async (ctx: Ctx<Actor>, scene: Scene, input: Record<string, unknown>): Promise<LoopEvent[]> => {
  const run = runOf(scene)
  const core = scene.version.config.core_app
  if (!core) return [{ type: 'model_failed', error: 'The agent has no core app', isLost: false }]
  const taskId = newId()
  const origin = {
    id: taskId,
    chat_id: scene.chat.id,
    agent_version_id: scene.version.id,
    visibility: atMostTeam(scene.chat.visibility),
    traceparent: insideRun(ctx.tracing, run),
    began: causeOf(scene),
    ...(scene.chat.agent_id !== null && { agent_id: scene.chat.agent_id }),
  }
  const [started] = await startRuns(ctx.as(runActor(run)), coreRequest(core), [{ input, origin }])
  if (isFailure(started)) {
    changeRun(scene, { metadata: { ...(run.metadata as object), error_code: started.code } })
    return [{ type: 'model_failed', error: started.message, isLost: false }]
  }
  changeRun(scene, { model_task_id: taskId })
  return []
}

/** True once per run, if the agent has tools of MCP servers that were not discovered yet. */
const needsDiscovery = async (ctx: Ctx<Actor>, scene: Scene): Promise<boolean> => {
  const run = runOf(scene)
  if ((run.metadata as { learned?: boolean }).learned === true) return false
  return (await undiscovered(ctx.as(runActor(run)), scene.version)).length > 0
}

/** A coding agent on a machine does the work; the machine is notified after the commit. */
export const promptMachine = async (ctx: Ctx<Actor>, scene: Scene): Promise<LoopEvent[]> => {
  await consumeQueued(ctx, scene)
  for (const { id, role, agent_run_id } of scene.messages.values())
    if (role === 'user' && agent_run_id === null) changeMessage(scene, id, { agent_run_id: runOf(scene).id })
  answerMessage(ctx, scene)
  scene.agentEvents.push({ type: 'turn.started', payload: { turn_index: runOf(scene).turn } })
  return []
}

/** Calls the model, or starts the compaction of the conversation. */
export const callModel = async (ctx: Ctx<Actor>, scene: Scene): Promise<LoopEvent[]> => {
  const run = runOf(scene)
  if (await needsDiscovery(ctx, scene)) {
    changeRun(scene, { model_task_id: null, metadata: { ...(run.metadata as object), learned: true } })
    addErrand(ctx, scene, 'learn', run.id)
    return []
  }
  await consumeQueued(ctx, scene)
  const { config } = scene.version
  const turns = withInjected(await transcriptOf(ctx, scene), injectedTurns(scene))
  const systemPrompt = systemPromptOf(scene)
  const settings = settingsOfTurn(scene)
  const tokens = tokensOf(turns, systemPrompt)
  if (tokens > inputRoom(settings) && canCompact(scene, run))
    return [{ type: 'too_long' }, ...(await compact(ctx, scene, turns, tokens))]
  const message = answerMessage(ctx, scene)
  const tools = await toolsOfRun(ctx, scene)
  const definitions = shownTools(tools).map(definitionOf)
  const failed = await startTask(ctx, scene, modelInput({ turns, systemPrompt, settings, tools: definitions }))
  if (failed.length > 0) return failed
  changeMessage(scene, message.id, { task_id: run.model_task_id })
  changeRun(scene, { injections: aged(run.injections as Injection[]) })
  const model = config.core_app?.ref
  scene.agentEvents.push({ type: 'turn.started', payload: { turn_index: run.turn, ...(model && { model }) } })
  return []
}

const aged = (injections: readonly Injection[]): Injection[] =>
  injections.map((one) => ({ ...one, turns: one.turns - 1 })).filter(({ turns }) => turns > 0)

/** Messages before the run are compacted at most once per run. */
const canCompact = (scene: Scene, run: store.RunRow): boolean => {
  const first = (run.metadata as { first_order?: number }).first_order ?? 0
  const isDone = (run.metadata as { compacted?: boolean }).compacted === true
  return !isDone && first > 2 && scene.version.config.core_app !== undefined
}

const compactPrompt =
  'Summarize the conversation for yourself, so that you can continue from the summary alone. Keep every fact, name, number, decision, promise, open question and file that may still matter, and what the person asked for. Answer with the summary only.'

const compact = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  turns: readonly ModelTurn[],
  tokens: number,
): Promise<LoopEvent[]> => {
  changeRun(scene, { metadata: { ...(runOf(scene).metadata as object), before_tokens: tokens } })
  await notifyHooks(ctx, scene, { event: 'agent.pre_compact', data: { before_tokens: tokens, after_tokens: 0 } })
  const last = turns.at(-1)
  const before = last?.role === 'user' ? turns.slice(0, -1) : turns
  const input = modelInput({
    turns: [...before, { role: 'user', text: compactPrompt }],
    systemPrompt: '',
    settings: scene.version.config.core_app?.input,
    tools: [],
  })
  return startTask(ctx, scene, input)
}

/** The summary takes the position that was reserved before the messages of the run. */
export const putSummary = async (ctx: Ctx<Actor>, scene: Scene, summary: string): Promise<void> => {
  const run = runOf(scene)
  const { before_tokens = 0, ...metadata } = run.metadata as { first_order?: number; before_tokens?: number }
  const message = newMessage(ctx, scene, {
    role: 'compaction',
    status: 'ready',
    content: [{ type: 'text', text: summary }],
    userId: run.user_id,
    runId: run.id,
  })
  changeMessage(scene, message.id, { order: (metadata.first_order ?? message.order) - 1 })
  changeRun(scene, { metadata: { ...metadata, compacted: true } })
  const after_tokens = tokensOf(await transcriptOf(ctx, scene), systemPromptOf(scene))
  scene.agentEvents.push({ type: 'context.compacted', payload: { before_tokens, after_tokens } })
  await notifyHooks(ctx, scene, { event: 'agent.post_compact', data: { before_tokens, after_tokens } })
}
