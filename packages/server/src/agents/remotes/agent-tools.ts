// Built-in agent tools for remotes: list those of the person who started the run, and run commands on them. Permission
// rules were applied before; ownership of the machine is checked here, as in the API.
import { isId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { type BuiltInTool, endToolCall } from '../chats/service.ts'
import * as agents from './agent-store.ts'
import { type ExecRow, signalRun } from './exec-store.ts'
import * as execs from './execs.ts'
import { list } from './lookup.ts'
import { readLastChunks } from './output-store.ts'
import { type RemoteUpdate, remoteSubject } from './subjects.ts'

export const remoteList: BuiltInTool = async (ctx) => {
  const page = await list(ctx, { limit: 100 })
  const machines = page.items.map(({ id, name, status, exec_enabled, system_info }) => ({
    remote_id: id,
    name,
    status,
    exec_enabled,
    os: system_info?.os ?? '',
  }))
  return { status: 'completed', result: JSON.stringify(machines) }
}

/** Requires the full id, because rules match it and a short id would bypass them. */
export const remoteExec: BuiltInTool = async (ctx, { id, runId, arguments: given }) => {
  const { remote_id: remoteId, ...request } = given
  if (!isId(String(remoteId)))
    return { status: 'failed', result: 'remote_id must be the full id, as shown by remote_list' }
  const known = await agents.findRunOfCall(ctx.db, id)
  const source = { requestedBy: 'loop', agentRunId: runId, toolInvocationId: id } as const
  const run = known ?? (await execs.start(ctx, String(remoteId), request, source))
  return { status: 'started', executionId: run.id }
}

const shownBytes = 64 * 1024

const resultOf = async (ctx: Ctx<Actor>, run: ExecRow): Promise<string> => {
  const chunks = await readLastChunks(ctx.db, run.id, shownBytes)
  const all = Buffer.concat(chunks.map(({ data }) => data)).length
  const skip = Math.max(0, all - shownBytes)
  const texts = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    const parts = chunks.flatMap((chunk) => {
      const cut = chunk === chunks[0] ? skip : 0
      return chunk.stream === stream ? [chunk.data.subarray(cut)] : []
    })
    texts[stream] = Buffer.concat(parts).toString()
  }
  return JSON.stringify({
    exec_run_id: run.id,
    status: run.status,
    exit_code: run.exit_code,
    ...texts,
    truncated: run.output_bytes > shownBytes,
    ...(run.error !== '' && { error: run.error }),
  })
}

const batch = 50

/** Delivers the results of finished commands to their agents. The watch job repeats it, so that no result is lost. */
export const deliverResults = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const run of await agents.findUndelivered(ctx.db, batch))
    await ctx.tx(async (ctx) => {
      if (!(await agents.markDelivered(ctx.db, run.id, ctx.now().toISOString()))) return
      await endToolCall(ctx, run.tool_invocation_id ?? '', { status: 'completed', result: await resultOf(ctx, run) })
    })
}

/** Kills the commands of agents that were stopped. */
export const endAbandoned = async (ctx: Ctx<Actor>): Promise<void> => {
  for (const { id, remote_id: remoteId } of await agents.findAbandoned(ctx.db, batch)) {
    await signalRun(ctx.db, id, ctx.now().toISOString())
    const update: RemoteUpdate = { type: 'signal', runId: id }
    ctx.emit({ subject: remoteSubject(remoteId), data: update })
  }
}
