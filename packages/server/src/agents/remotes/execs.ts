// Commands on a remote: created here, sent by the server with the machine's socket, and ended by the machine's frames.
// Agents' permission rules do not apply: a person calls these operations, and agents' calls were checked before.
import type { ListRequest, Page } from '@millrace/contract/common'
import { newId } from '@millrace/contract/ids'
import { chunkBytesLimit, inputBytesLimit } from '@millrace/contract/remote-frames'
import { ExecRequest, type ExecRun, isOpenExec, type Requester } from '@millrace/contract/remotes'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertStorableText } from '#platform/core/storable.ts'
import { validator } from '#platform/core/validate.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { execDto } from './dto.ts'
import * as store from './exec-store.ts'
import { findOwn } from './lookup.ts'
import * as output from './output-store.ts'
import { makeRoom } from './retention.ts'
import type { RemoteRow } from './store.ts'
import { execSubject, type RemoteUpdate, remoteSubject } from './subjects.ts'

/** More than a machine runs at once; each may have output. */
const maxOpenRuns = 1_000

const readRequest = validator(ExecRequest, 'body', { missingField: 'invalid_request' })

/** null counts as missing. */
const requestOf = (body: unknown): ExecRequest => {
  const fields = Object.entries(Object(body)).filter(([, value]) => value !== null)
  const request = readRequest(Object.fromEntries(fields)) as ExecRequest
  if (request.command.trim() === '') throw fail('invalid_request', 'command is empty')
  assertStorableText(request)
  return request
}

export const sealedEnv: SealedColumn = { table: 'exec_runs', column: 'env_sealed', teamColumn: 'team_id' }
const binding = (id: string): string => sealBinding('exec_runs', id, 'env_sealed')

/** Values of the environment are stored encrypted, and only until they are sent. */
export const openEnv = async (ctx: Pick<Ctx, 'db' | 'keyring'>, run: store.ExecRow): Promise<string[]> =>
  run.env_sealed === null
    ? []
    : (JSON.parse((await ctx.keyring.open(ctx.db, run.env_sealed, binding(run.id))).toString()) as string[])

export type ExecSource = { requestedBy: Requester; agentRunId: string | null; toolInvocationId: string | null }

const insert = async (
  ctx: Ctx,
  remote: RemoteRow,
  request: ExecRequest,
  { requestedBy, agentRunId, toolInvocationId }: ExecSource,
) => {
  const id = newId()
  const env = request.env ?? []
  const now = ctx.now().toISOString()
  return store.insertRun(ctx.db, {
    id,
    team_id: remote.team_id,
    user_id: ctx.actor.userId,
    owner_id: remote.user_id,
    remote_id: remote.id,
    command: request.command,
    args: request.args ?? [],
    cwd: request.cwd ?? '',
    env_names: env.map((pair) => pair.slice(0, pair.indexOf('='))),
    env_sealed:
      env.length === 0 ? null : await ctx.keyring.seal(ctx.db, remote.team_id, JSON.stringify(env), binding(id)),
    pty: request.pty ?? false,
    stdin: request.stdin ?? false,
    cols: request.cols ?? null,
    rows: request.rows ?? null,
    timeout_ms: request.timeout_ms ?? 0,
    requested_by: requestedBy,
    agent_run_id: agentRunId,
    tool_invocation_id: toolInvocationId,
    created_at: now,
    updated_at: now,
  })
}

/** Checks in this order: the remote exists, the request is valid, commands are enabled, the remote is connected. */
export const start = (
  ctx: Ctx,
  remoteId: string,
  body: unknown,
  asker: ExecSource = { requestedBy: 'user', agentRunId: null, toolInvocationId: null },
): Promise<ExecRun> =>
  ctx.tx(async (ctx) => {
    const remote = await findOwn(ctx, remoteId)
    const request = requestOf(body)
    if (!remote.exec_enabled) throw fail('exec_disabled')
    if (!remote.connected) throw fail('remote_offline')
    if ((await store.countOpen(ctx.db, remote.id)) >= maxOpenRuns)
      throw fail('invalid_state', `The remote already has ${maxOpenRuns} open commands`)
    await makeRoom(ctx, remote.team_id)
    const run = await insert(ctx, remote, request, asker)
    await recordAudit(ctx, 'remote.exec', {
      resourceType: 'remote',
      resourceId: remote.id,
      meta: { exec_run_id: run.id, command: run.command.slice(0, 500), requested_by: run.requested_by },
    })
    const update: RemoteUpdate = { type: 'exec', runId: run.id }
    ctx.emit({ subject: remoteSubject(remote.id), data: update })
    return execDto(run)
  })

const listSpec: ListSpec = {
  id: 'exec_runs.id',
  columns: {
    id: { ref: 'exec_runs.id', type: 'text' },
    remote_id: { ref: 'exec_runs.remote_id', type: 'text' },
    status: { ref: 'exec_runs.status', type: 'text' },
    command: { ref: 'exec_runs.command', type: 'text' },
    requested_by: { ref: 'exec_runs.requested_by', type: 'text' },
    agent_run_id: { ref: 'exec_runs.agent_run_id', type: 'text', nullable: true },
    created_at: { ref: 'exec_runs.created_at', type: 'time' },
  },
  search: ['command'],
}

export const list = (ctx: Ctx<Member>, request: ListRequest): Promise<Page<Partial<ExecRun>>> =>
  runOwnedList(store.selectRuns(ctx.db, ctx.actor.teamId, ctx.actor.userId), {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: execDto,
    notice: ctx.notice,
  })

export const findVisible = async (ctx: Ctx<Member>, id: string): Promise<store.ExecRow> => {
  const run = await store.findRun(ctx.db, ctx.actor.teamId, ctx.actor.userId, id)
  if (!run) throw fail('not_found', 'Command not found')
  return run
}

export const get = async (ctx: Ctx<Member>, id: string): Promise<ExecRun> => execDto(await findVisible(ctx, id))

/** Kills a running command; no effect on a finished one. */
export const signal = async (ctx: Ctx<Member>, id: string): Promise<{ ok: boolean }> => {
  const run = await findVisible(ctx, id)
  const changed = await store.signalRun(ctx.db, run.id, ctx.now().toISOString())
  if (changed?.status === 'running') {
    const update: RemoteUpdate = { type: 'signal', runId: run.id }
    ctx.emit({ subject: remoteSubject(run.remote_id), data: update })
  } else if (changed) ctx.emit({ subject: execSubject(run.id), data: null })
  return { ok: true }
}

const openRun = async (ctx: Ctx<Member>, id: string): Promise<store.ExecRow> => {
  const run = await findVisible(ctx, id)
  if (!isOpenExec(run.status)) throw fail('invalid_state', 'The command has ended')
  return run
}

export const input = async (ctx: Ctx<Member>, id: string, body: { data?: string; eof?: boolean }) => {
  const run = await openRun(ctx, id)
  if (!run.stdin && !run.pty) throw fail('invalid_state', 'The command was started without standard input')
  const data = Buffer.from(body.data ?? '', 'base64')
  if (data.length > chunkBytesLimit) throw fail('validation_error', `data: at most ${chunkBytesLimit} bytes per call`)
  const seq = await output.addInput(ctx.db, run.id, { data, eof: body.eof === true }, inputBytesLimit)
  if (seq === undefined) throw fail('invalid_state', 'The command has too much unread input')
  const update: RemoteUpdate = { type: 'input', runId: run.id }
  ctx.emit({ subject: remoteSubject(run.remote_id), data: update })
  return { ok: true }
}

export const resize = async (ctx: Ctx<Member>, id: string, { cols, rows }: { cols: number; rows: number }) => {
  const run = await openRun(ctx, id)
  if (!run.pty) throw fail('invalid_state', 'The command has no terminal')
  await store.resizeRun(ctx.db, run.id, cols, rows)
  const update: RemoteUpdate = { type: 'resize', runId: run.id, cols, rows }
  ctx.emit({ subject: remoteSubject(run.remote_id), data: update })
  return { ok: true }
}
