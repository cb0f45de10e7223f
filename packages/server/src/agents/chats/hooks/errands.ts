// Errands: outbound requests that runs wait for, sent outside of every transaction: HTTP and webhook tools, tools of
// other features, webhooks of lifecycle events. A request whose reply was lost in a restart is not sent again unless
// the tool is marked as safe to retry.
import type { Tool } from '@millrace/contract/agents'
import type { Member } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { runActor } from '#platform/core/run-actor.ts'
import { toStorable } from '#platform/core/storable.ts'
import { hashToken, newOpaqueToken } from '#platform/core/tokens.ts'
import { inWork } from '#platform/fairness/work.ts'
import { loadVersion, type Version } from '../../agents/service.ts'
import { interruptCall } from '../interrupts/call-interrupts.ts'
import { allowed } from '../loop/hook-answer.ts'
import { resume } from '../runs/drive.ts'
import { changeCall, runOf, type Scene } from '../runs/scene.ts'
import { insideCall, insideRun } from '../runs/spans.ts'
import * as store from '../store.ts'
import { errandsSubject } from '../streams/subjects.ts'
import { callHandler } from '../tools/call-handler.ts'
import { callHook } from '../tools/call-hook.ts'
import { callHttp, keyPartsOf, type ToolCallParts } from '../tools/call-http.ts'
import { fetchSkill } from '../tools/fetch-skill.ts'
import { builtInTool, type ToolOutcome, toolKind } from '../tools/kinds.ts'
import { operationOf, undiscovered } from '../tools/offered.ts'
import { callOperationTool, isOperationTool } from '../tools/operation-tools.ts'
import { requestConnection } from '../tools/perform.ts'
import * as errands from './errands-store.ts'
import { startHookAgent } from './hook-agent.ts'
import { applyHandlerAnswer, hookData } from './hooks.ts'

const batch = 32
const maxConcurrent = 64
const perTeam = 16
/** Longer than the timeout of any request. */
export const leaseMs = 120_000

type Work = { errand: store.ErrandRow; run: store.RunRow; chat: store.ChatRow; version: Version; ctx: Ctx<Member> }

/** Undefined if the rows are gone. */
const workOf = async (platform: Platform, errand: store.ErrandRow): Promise<Work | undefined> => {
  const run = await store.findRun(platform.db, errand.run_id)
  const chat = await store.findChat(platform.db, errand.chat_id)
  const version = run && (await loadVersion(platform.db, run.agent_version_id))
  return run && chat && version ? { errand, run, chat, version, ctx: createCtx(platform, runActor(run)) } : undefined
}

const partsOf = async ({ ctx, run, errand, chat, version }: Work): Promise<ToolCallParts> => ({
  ...(await keyPartsOf(ctx, version, chat)),
  agentId: chat.agent_id,
  context: chat.context as Record<string, unknown>,
  traceparent: insideCall(ctx.tracing, run, errand.subject_id),
})

const unknownOutcome =
  'The outcome of this call is unknown: the server restarted after the call was sent and before the reply arrived. The call was not sent again.'

const toolOf = (version: Version, name: string): Tool | undefined => {
  const exact = version.config.tools.find((tool) => tool.name === name)
  // The config can name a whole MCP server; its tools are then called entry name + tool name. The longest matching
  // entry wins.
  const serverEntries = version.config.tools.filter(
    (tool) => tool.type === 'mcp' && !tool.mcp?.tool_name && name.startsWith(`${tool.name}_`),
  )
  return exact ?? serverEntries.sort((a, b) => b.name.length - a.name.length)[0]
}

const callInternal = ({ ctx, version }: Work, call: store.CallRow, given: Record<string, unknown>) => {
  const operation = operationOf(version.config, call.name)
  return isOperationTool(operation)
    ? callOperationTool(ctx, operation, call.id, given)
    : fetchSkill(ctx, version.config.skills, String(given.name ?? ''))
}

type CallStart = ToolOutcome | { status: 'started'; executionId: string } | null

const callTool = async (work: Work, call: store.CallRow, isFirst: boolean, token: string): Promise<CallStart> => {
  const { ctx, version, chat } = work
  const given = call.arguments as Record<string, unknown>
  const builtIn = call.type === 'internal' ? builtInTool(ctx, operationOf(version.config, call.name)) : undefined
  // Idempotent: a second call finds what the first one started.
  if (builtIn) return builtIn(ctx, { id: call.id, runId: call.run_id, arguments: given })
  if (call.type === 'internal') return callInternal(work, call, given)
  const tool = toolOf(version, call.name)
  if (!tool) return { status: 'failed', result: 'The tool no longer exists' }
  const http = tool.http ?? tool.call
  if (!isFirst && http?.idempotent !== true) return { status: 'failed', result: unknownOutcome }
  if (http) return callHttp(ctx, tool, http, given, await partsOf(work))
  if (tool.hook) {
    const hook = { id: call.id, name: call.name, chatId: chat.id, arguments: given, token }
    const fault = await callHook(ctx, tool, hook, await partsOf(work))
    return fault === null ? null : { status: 'failed', result: fault }
  }
  const kind = toolKind(ctx, tool.type)
  if (!kind) return { status: 'failed', result: `This server has no tools of type ${tool.type}` }
  const data = call.data as { answer?: string } | null
  const answer = data?.answer === undefined ? undefined : { result: data.answer, data: call.data }
  const traceparent = insideCall(ctx.tracing, work.run, work.errand.subject_id)
  return kind.call(ctx, tool, { name: call.name, arguments: given, traceparent, ...(answer && { answer }) })
}

const applyOutcome = (work: Work, scene: Scene, call: store.CallRow, outcome: NonNullable<CallStart>) => {
  const current = scene.calls.get(call.id)
  if (current?.status !== 'in_progress') return []
  if (outcome.status === 'started') {
    changeCall(scene, call.id, { execution_id: outcome.executionId })
    return []
  }
  if (outcome.status === 'auth_required') {
    const { provider, scopes = [], message } = outcome
    return requestConnection(work.ctx, scene, current, {
      provider,
      scopes,
      message,
      action: { type: 'connect', provider },
    })
  }
  if (outcome.status === 'awaiting_input') {
    changeCall(scene, call.id, { status: 'awaiting_input', data: outcome.data })
    interruptCall(work.ctx, scene, call, { reason: 'widget' })
    return []
  }
  changeCall(scene, call.id, {
    ...(outcome.data !== undefined && { data: outcome.data }),
    ...(outcome.used !== undefined && { used: outcome.used }),
  })
  return [{ type: 'call_ended' as const, callId: call.id, ended: { status: outcome.status, result: outcome.result } }]
}

const runToolErrand = async (work: Work, isFirst: boolean): Promise<void> => {
  const { ctx, errand, run } = work
  const call = await store.findCall(ctx.db, errand.subject_id)
  if (call?.status !== 'in_progress') return errands.deleteErrand(ctx.db, errand.id)
  const token = newOpaqueToken()
  // Stored before sending, because the answer can arrive before the acknowledgement.
  if (call.type === 'hook' && isFirst) await store.setToken(ctx.db, call.id, hashToken(token))
  const called = await callTool(work, call, isFirst, token).catch((error: unknown): CallStart => {
    if (!isFailure(error)) ctx.log.error({ err: error, call: call.id }, 'a tool call failed unexpectedly')
    return { status: 'failed', result: isFailure(error) ? error.message : 'Something went wrong on the server' }
  })
  const outcome = toStorable(called)
  await ctx.tx(async (ctx) => {
    await resume(ctx, errand.chat_id, run.id, (scene) => {
      if (outcome !== null) return applyOutcome(work, scene, call, outcome)
      if (scene.calls.get(call.id)?.status === 'in_progress') changeCall(scene, call.id, { status: 'awaiting_input' })
      return []
    })
    await errands.deleteErrand(ctx.db, errand.id)
  })
}

/** The handler is an agent: starts its run, whose result is the answer. */
const startAgentHandler = ({ ctx, errand, run }: Work, row: store.HookCallRow, handler: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const isStarted = await startHookAgent(ctx, row, handler)
    if (!row.is_waited_for) await store.deleteHookCalls(ctx.db, [row.id])
    else if (!isStarted)
      await resume(ctx, row.chat_id, run.id, (scene) => applyHandlerAnswer(ctx, scene, row.id, allowed))
    await errands.deleteErrand(ctx.db, errand.id)
  })

const runHookErrand = async (work: Work): Promise<void> => {
  const { ctx, errand, run, version } = work
  const row = await store.findHookCall(ctx.db, errand.subject_id)
  const hook = row && version.config.hooks[row.position]
  if (row && hook?.type === 'task') return startAgentHandler(work, row, hook.handler ?? '')
  const answer =
    row && hook ? await callHandler(ctx, hook, hookData(row).payload, insideRun(ctx.tracing, run)) : allowed
  await ctx.tx(async (ctx) => {
    if (row?.is_waited_for)
      await resume(ctx, errand.chat_id, run.id, (scene) => applyHandlerAnswer(ctx, scene, row.id, answer))
    else await store.deleteHookCalls(ctx.db, [errand.subject_id])
    await errands.deleteErrand(ctx.db, errand.id)
  })
}

/** Less than the lease. Tools that are not discovered by then are left out of this run. */
const discoveryMs = 60_000

const discoverTool = async (ctx: Ctx<Member>, tool: Tool): Promise<void> => {
  await toolKind(ctx, tool.type)
    ?.discover(ctx, tool)
    .catch((error: unknown) => {
      if (isFailure(error))
        ctx.log.info({ tool: tool.name, detail: error.message }, 'discovering the tools of a server failed')
      else ctx.log.error({ err: error, tool: tool.name }, 'discovering the tools of a server failed unexpectedly')
    })
}

const runDiscoveryErrand = async (work: Work): Promise<void> => {
  const { ctx, errand, run, version } = work
  const discoveryCtx = { ...ctx, signal: AbortSignal.timeout(discoveryMs) }
  await Promise.all((await undiscovered(discoveryCtx, version)).map((tool) => discoverTool(discoveryCtx, tool)))
  await ctx.tx(async (ctx) => {
    await resume(ctx, errand.chat_id, run.id, (scene) =>
      // On a retry after a crash the model may already have been called.
      runOf(scene).model_task_id === null ? [{ type: 'tools_learned' }] : [],
    )
    await errands.deleteErrand(ctx.db, errand.id)
  })
}

const runErrand = async (platform: Platform, errand: store.ErrandRow): Promise<void> => {
  const work = await workOf(platform, errand)
  const isOver = work?.run.finished_at !== null
  // Handlers also receive events after the end of the run.
  if (!work || (isOver && errand.kind !== 'hook')) return errands.deleteErrand(platform.db, errand.id)
  if (isOver) return runHookErrand(work)
  if (errand.kind === 'learn') return runDiscoveryErrand(work)
  const isFirst = await errands.markSent(platform.db, errand.id, platform.now().toISOString())
  return errand.kind === 'tool' ? runToolErrand(work, isFirst) : runHookErrand(work)
}

/** Releases the errands of a stopped server before their leases expire. */
export const reclaimErrands = async (platform: Platform): Promise<void> => {
  const freed = await errands.freeErrands(platform.db, platform.now().toISOString())
  if (freed > 0) platform.bus.publish(errandsSubject, null)
}

/**
 * New errands are announced on the bus; polling finds those of stopped servers and those that had to wait for capacity.
 */
const pollMs = 5_000

export type ErrandRunner = { stop(): Promise<void> }

/** Executes errands as they arrive, up to the concurrency limit. */
export const startErrands = (platform: Platform): ErrandRunner => {
  const underway = new Set<Promise<void>>()
  let isClaiming = false
  let isWoken = false
  let isStopped = false

  const begin = (errand: store.ErrandRow): void => {
    const work = inWork({ kind: 'job', tenant: errand.team_id }, () => runErrand(platform, errand))
      .catch((error: unknown) => platform.log.error({ err: error, errand: errand.id }, 'an errand failed unexpectedly'))
      .finally(() => {
        underway.delete(work)
        void claim()
      })
    underway.add(work)
  }

  const claim = async (): Promise<void> => {
    isWoken = true
    if (isClaiming || isStopped) return
    isClaiming = true
    while (isWoken && !isStopped && underway.size < maxConcurrent) {
      isWoken = false
      const now = platform.now()
      const until = new Date(now.getTime() + leaseMs).toISOString()
      const limit = Math.min(batch, maxConcurrent - underway.size)
      const taken = await errands
        .claimErrands(platform.db, { serverId: platform.server.id, now: now.toISOString(), until, limit, perTeam })
        .catch((error: unknown) => {
          platform.log.error({ err: error }, 'errands could not be claimed')
          return []
        })
      for (const errand of taken) begin(errand)
      if (taken.length === limit) isWoken = true
    }
    isClaiming = false
  }

  const silence = platform.bus.subscribe(errandsSubject, () => void claim())
  const stopTask = platform.periodicTasks.add({
    name: 'errands of agents',
    due: (_db, now) => [errands.dueErrands(now)],
    work: claim,
    everyMs: pollMs,
  })
  void claim()
  return {
    stop: async () => {
      isStopped = true
      silence()
      await stopTask()
      await Promise.allSettled([...underway])
    },
  }
}
