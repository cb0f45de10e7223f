// Accepts runs: the checks in their order, then one row. The task row is written before the answer.

import { newId } from '@millrace/contract/ids'
import { runAs } from '@millrace/contract/scopes'
import { taskStatus } from '@millrace/contract/task-status'
import type { RunRequest } from '@millrace/contract/tasks'
import { warmKey } from '@millrace/contract/warm-key'
import { countExecution, type Meter, meterOf, reportExecutions, requireRowRoom } from '#accounts/plans/service.ts'
import { requirePolicy } from '#accounts/usage-policies/service.ts'
import { requirementErrors } from '#connections/credentials/service.ts'
import { receiveInputFiles } from '#content/files/service.ts'
import { inBatch } from '#money/billing/service.ts'
import type { RunCause } from '#money/budgets/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure, refusalOnly } from '#platform/core/errors.ts'
import { sessionForRun } from '../app-sessions/service.ts'
import { recentRunTarget, resolveForRun, validateAgainst } from '../apps/service.ts'
import { addUnmetNotice, placeTask, requirementsOf } from '../dispatch/service.ts'
import { openSocket } from '../sockets/service.ts'
import { type NewTask, neverAvailable, statusEvent, type TaskRow } from '../tasks/service.ts'
import { reserveCost } from './extension-points.ts'
import { beginFlow, beginFlowLater } from './flow-task.ts'
import { assertInfra, infraOf } from './infra.ts'

/**
 * The origin of a run that no caller started with the run operation: a node of a flow, a tool of an agent, a trigger.
 */
export type RunOrigin = {
  /** The task's id, if its creator had to know it beforehand. */
  id?: string
  graph_id?: string
  flow_run_id?: string
  flow_node_id?: string
  flow_item?: number
  chat_id?: string
  agent_id?: string
  agent_version_id?: string
  began?: RunCause
  /** The trace that it belongs to, if not that of the current request. */
  traceparent?: string
  /** The visibility of the task; tasks of a chat have that of the chat. */
  visibility?: string
}

/** Conditions of a run besides the request. */
type RunTerms = { readonly origin?: RunOrigin; readonly meter: Meter }

type Resolved = Awaited<ReturnType<typeof resolveForRun>>

export const startRun = async (ctx: Ctx<Member>, request: RunRequest, origin: RunOrigin = {}): Promise<TaskRow> => {
  const meter = await meterOf(ctx)
  const started = await startRecent(ctx, request, { origin, meter })
  if (started) return started
  const target = await resolveForRun(ctx, request)
  const row = await (isPlain(target, request, meter)
    ? accept(ctx, target, request, { origin, meter })
    : inItsTransaction(ctx, target, request, (ctx) => accept(ctx, target, request, { origin, meter })))
  if (!row) throw new Error('The insert returned no task')
  return row
}

/** A priced or metered run may share a transaction with concurrent runs of its workspace. */
const inItsTransaction = <T>(
  ctx: Ctx<Member>,
  target: Resolved,
  request: RunRequest,
  work: (ctx: Ctx<Member>) => Promise<T>,
): Promise<T> =>
  isSingle(target, request) && !ctx.db.isTransaction ? inBatch(ctx, ctx.actor.teamId, work) : ctx.tx(work)

/**
 * The run if the app is cached and unchanged, and nothing besides the task row is written. A refusal may result from
 * outdated data, so it is ignored and the app is read again.
 */
export const startRecent = async (
  ctx: Ctx<Member>,
  request: RunRequest,
  terms: RunTerms,
): Promise<TaskRow | undefined> => {
  const target = await recentRunTarget(ctx, request).catch(refusalOnly)
  if (!target || isFailure(target) || !isPlain(target, request, terms.meter)) return undefined
  const started = await accept(ctx, target, request, terms, target.stamp).catch(refusalOnly)
  return isFailure(started) ? undefined : started
}

const accept = async (
  ctx: Ctx<Member>,
  target: Resolved,
  request: RunRequest,
  terms: RunTerms,
  stamp: string | null = null,
): Promise<TaskRow | undefined> => {
  const task = await prepareTask(ctx, target, request, terms)
  const placed = await placeTask(ctx, task, { appName: refOf(target.app), stamp })
  if (!placed) return undefined
  const { row, unmet } = placed
  if (isFlow(target)) return acceptFlow(ctx, target, row)
  if (unmet !== null) await addUnmetNotice(ctx, unmet, row)
  reportExecutions(ctx, terms.meter)
  if (row.is_stream) await openSocket(ctx, row)
  return row
}

const acceptFlow = async (ctx: Ctx<Member>, { version }: Resolved, row: TaskRow): Promise<TaskRow> => {
  const flowVersionId = version.flow_version_id ?? ''
  if (row.status === taskStatus.running) return beginFlow(ctx, row, flowVersionId)
  await beginFlowLater(ctx, row.id, flowVersionId, new Date(row.run_at ?? row.created_at))
  return row
}

export const refOf = ({ namespace, name }: Resolved['app']): string => `${namespace}/${name}`

/** Only the task row is written, and a single statement needs no transaction. */
const isPlain = (target: Resolved, request: RunRequest, { limited }: Meter): boolean =>
  target.app.pricing === null && !limited && isSingle(target, request)

/** Nothing is started or stored besides the task, its price and its count. */
const isSingle = (target: Resolved, { session, input }: RunRequest): boolean =>
  !session && !isFlow(target) && target.fn.kind !== 'stream' && !storesFiles(target.fn.input_schema, input)

const dataUri = /"data:/i

/** Where a data URI, whose bytes are stored as a file, can come from: nowhere, the input, or a default of the schema. */
type FileUse = 'none' | 'input' | 'default'

const fileUses = new WeakMap<object, FileUse>()

const fileUseOf = (schema: unknown): FileUse => {
  if (typeof schema !== 'object' || schema === null) return 'none'
  const known = fileUses.get(schema)
  if (known) return known
  const text = JSON.stringify(schema)
  const use = !text.includes('"file"') ? 'none' : dataUri.test(text) ? 'default' : 'input'
  fileUses.set(schema, use)
  return use
}

const storesFiles = (schema: unknown, input: unknown): boolean => {
  const use = fileUseOf(schema)
  return use === 'default' || (use === 'input' && dataUri.test(JSON.stringify(input)))
}

export const isFlow = ({ version }: Resolved): boolean =>
  version.flow_version_id !== null && version.flow_version_id !== ''

/** All checks that can refuse a run, in order; the caller writes the row. */
export const prepareTask = async (
  ctx: Ctx<Member>,
  target: Resolved,
  request: RunRequest,
  { origin = {}, meter }: RunTerms,
): Promise<NewTask> => {
  const id = origin.id ?? newId()
  const run = {
    taskId: id,
    appId: target.app.id,
    versionId: target.version.id,
    authorTeamId: target.app.team_id,
    function: target.functionName,
    input: request.input,
    pricing: target.app.pricing,
    origin,
  }
  await requirePolicy(ctx, 'apps', target.app)
  await assertRequirements(ctx, target)
  assertSessionTimeout(request)
  const validated = validateAgainst('input', target.fn.input_schema, request.input)
  if (request.setup !== undefined) validateAgainst('setup', target.fn.setup_schema, request.setup)
  const input = await receiveInputFiles(ctx, target.fn.input_schema, validated)
  const variant = variantOf(target, request.variant)
  const webhook = webhookOf(request.webhook)
  const storedInput = JSON.stringify(input)
  await requireRowRoom(ctx, ctx.actor.teamId, Buffer.byteLength(storedInput))
  // The task of a flow only represents its run; the tasks of its nodes count.
  if (!isFlow(target)) await countExecution(ctx, meter)
  for (const reserve of ctx.extensions.listenersOf(reserveCost)) await reserve(ctx, run)
  const now = ctx.now().toISOString()
  const runAt = request.run_at === undefined ? null : readRunAt(request.run_at)
  const isLater = runAt !== null && runAt > now
  const session =
    request.session === undefined || request.session === ''
      ? null
      : await sessionForRun(ctx, {
          session: request.session,
          timeoutSeconds: request.session_timeout,
          appId: target.app.id,
          versionId: target.version.id,
          taskId: id,
          isLater,
        })
  await assertInfra(ctx, request)
  const first = isFlow(target) && !isLater ? taskStatus.running : taskStatus.queued
  return {
    id,
    team_id: ctx.actor.teamId,
    user_id: ctx.actor.userId,
    visibility: origin.visibility ?? 'team',
    status: first,
    app_id: target.app.id,
    app_version_id: target.version.id,
    app_variant: request.variant ?? '',
    function: target.functionName,
    is_stream: target.fn.kind === 'stream',
    infra: infraOf(ctx, request),
    workers: request.workers ?? [],
    setup: request.setup === undefined ? null : JSON.stringify(request.setup),
    input: storedInput,
    events: JSON.stringify([taskStatus.received, first].map((status) => statusEvent(status, now))),
    event_seq: 2,
    session_id: session?.id ?? null,
    session_timeout: request.session_timeout ?? null,
    run_at: runAt,
    available_at: !isLater ? now : isFlow(target) ? neverAvailable : runAt,
    webhook,
    metadata: JSON.stringify(request.metadata ?? {}),
    warm_key: warmKey({
      teamId: ctx.actor.teamId,
      appId: target.app.id,
      versionId: target.version.id,
      setup: request.setup,
    }),
    ...requirementsOf(variant?.resources ?? target.version.resources),
    run_as: JSON.stringify(runAs(ctx.actor.grant)),
    priced: target.app.pricing !== null,
    graph_id: origin.graph_id ?? null,
    flow_run_id: origin.flow_run_id ?? null,
    flow_node_id: origin.flow_node_id ?? null,
    flow_item: origin.flow_item ?? null,
    chat_id: origin.chat_id ?? null,
    agent_id: origin.agent_id ?? null,
    agent_version_id: origin.agent_version_id ?? null,
    traceparent: origin.traceparent ?? ctx.origin.traceparent,
    created_at: now,
    updated_at: now,
  }
}

const assertRequirements = async (ctx: Ctx<Member>, { version }: Resolved): Promise<void> => {
  if (version.required_secrets.length + version.required_credentials.length === 0) return
  const errors = await requirementErrors(ctx, version)
  if (errors.length === 0) return
  const detail = errors.map(({ message }) => message).join('; ')
  throw fail('requirements_not_met', { detail, extra: { satisfied: false, errors } })
}

const assertSessionTimeout = ({ session, session_timeout: timeout }: RunRequest): void => {
  if (timeout === undefined) return
  if (session !== 'new') throw fail('validation_error', '`session_timeout` is only allowed with `session: new`')
  if (timeout < 1 || timeout > 3600)
    throw fail('validation_error', '`session_timeout` must be between 1 and 3600 seconds')
}

/** The JSON schema format admits leap seconds and the year 0, which a date cannot represent. */
const readRunAt = (text: string): string => {
  const at = new Date(text)
  const year = at.getUTCFullYear()
  if (!(year >= 1 && year <= 9999)) throw fail('validation_error', '`run_at` must be an RFC 3339 time')
  return at.toISOString()
}

const variantOf = (target: Resolved, name: string | undefined) => {
  if (name === undefined || name === '') return undefined
  const { variants } = target.version
  const variant = Object.hasOwn(variants, name) ? variants[name] : undefined
  if (!variant) throw fail('validation_error', `Variant "${name}" not found`)
  return variant
}

const loopbackHosts = /^(localhost|127(\.\d+){3}|\[::1\])$/

export const webhookOf = (text: string | undefined): string => {
  if (text === undefined || text === '') return ''
  const url = URL.canParse(text) ? new URL(text) : null
  const allowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopbackHosts.test(url.hostname))
  if (!url || !allowed) throw fail('validation_error', '`webhook` must be an https URL')
  return text
}
