// Applies a remote's frames about its commands, in order per command. Chunks that arrive together are stored by one
// statement. Stored frames are acknowledged; the machine sends the others again.
import type { RemoteExecExit, RemoteExecOutput, ServerToRemote } from '@millrace/contract/remote-frames'
import { isOpenExec } from '@millrace/contract/remotes'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { deliverResults } from './agent-tools.ts'
import * as execs from './exec-store.ts'
import * as output from './output-store.ts'
import { execSubject } from './subjects.ts'

export type ExecFrame = RemoteExecOutput | RemoteExecExit

export type ExecConnection = {
  remoteId: string
  connection: number
  outputLimitBytes: number
  ctx: () => Ctx<Actor>
  send: (frame: ServerToRemote) => void
}

/** Three quarters of the retained output are its beginning, the rest its end. */
const headShare = 0.75
/** Tolerance above the limit before the middle is discarded again. */
const slackShare = 1 / 64

const clearMiddle = async (
  ctx: Ctx<Actor>,
  runId: string,
  stored: output.StoredOutput,
  limit: number,
): Promise<void> => {
  const slack = Math.ceil(limit * slackShare)
  if (stored.output_cost - stored.dropped_cost <= limit) return
  const headCost = Math.floor(limit * headShare)
  await output.dropMiddle(ctx.db, runId, { headCost, tailFromCost: stored.output_cost - (limit - headCost - slack) })
}

/** Answers a frame about a command that is not running in the database. */
const answerEnded = async (link: ExecConnection, runId: string, reportedSeq: number): Promise<void> => {
  const run = await execs.findRunOf(link.ctx().db, link.remoteId, runId)
  if (run && isOpenExec(run.status)) return
  link.send({
    type: 'remote_exec_ack',
    data: { exec_run_id: runId, seq: Math.max(run?.last_seq ?? 0, reportedSeq), exited: true },
  })
  // The command was given up while the machine was away, and may still run there.
  if (run?.status !== 'exited')
    link.send({ type: 'remote_exec_signal', data: { exec_run_id: runId, signal: 'SIGKILL' } })
}

const storeOutput = async (link: ExecConnection, runId: string, frames: readonly RemoteExecOutput[]): Promise<void> => {
  const ctx = link.ctx()
  const run = { id: runId, remoteId: link.remoteId, connection: link.connection }
  const chunks = frames.map(({ data: { seq, stream, data } }) => ({ seq, stream, data: Buffer.from(data, 'base64') }))
  const stored = await output.storeChunks(ctx.db, run, chunks, ctx.now().toISOString())
  if (!stored) return answerEnded(link, runId, Math.max(...chunks.map(({ seq }) => seq)))
  ctx.emit({ subject: execSubject(runId), data: null })
  link.send({ type: 'remote_exec_ack', data: { exec_run_id: runId, seq: stored.last_seq, exited: false } })
  await clearMiddle(ctx, runId, stored, link.outputLimitBytes)
}

const storeExit = async (link: ExecConnection, { data }: RemoteExecExit): Promise<void> => {
  const ctx = link.ctx()
  const { exec_run_id: runId, exit_code: code, error, timed_out: timedOut, duration_ms: durationMs } = data
  const ended = await execs.endRun(
    ctx.db,
    { id: runId, remoteId: link.remoteId, connection: link.connection },
    { code: code ?? null, error: error ?? '', timedOut: timedOut ?? false, durationMs: durationMs ?? null },
    ctx.now().toISOString(),
  )
  if (!ended) return answerEnded(link, runId, 0)
  await output.deleteInputs(
    ctx.db,
    { id: runId, remoteId: link.remoteId, connection: link.connection },
    ended.input_seq,
  )
  ctx.emit({ subject: execSubject(runId), data: null })
  if (ended.tool_invocation_id !== null) await deliverResults(ctx)
  link.send({ type: 'remote_exec_ack', data: { exec_run_id: runId, seq: ended.last_seq, exited: true } })
}

/** Frames of one command that arrived together, in order. */
export const applyFrames = async (link: ExecConnection, runId: string, frames: readonly ExecFrame[]): Promise<void> => {
  let chunks: RemoteExecOutput[] = []
  for (const frame of frames) {
    if (frame.type === 'remote_exec_output') {
      chunks.push(frame)
      continue
    }
    if (chunks.length > 0) await storeOutput(link, runId, chunks)
    chunks = []
    await storeExit(link, frame)
  }
  if (chunks.length > 0) await storeOutput(link, runId, chunks)
}
