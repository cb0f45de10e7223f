// Reads the output of a command from any position, during and after its run.
import { type ExecChunk, isOpenExec } from '@millrace/contract/remotes'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { chunkDto } from './dto.ts'
import { findVisible } from './execs.ts'
import * as output from './output-store.ts'
import { execSubject } from './subjects.ts'

const bounds = { chunks: 2_000, bytes: 2 * 1024 * 1024 } as const
/** Bus events can be lost, so the database is polled as well. */
const pollMs = 1_000

/** Resolves on the next event of the command, or after a timeout. */
const nextOutput = (
  ctx: Ctx<Member>,
  runId: string,
  withinMs: number,
): { received: Promise<void>; stop: () => void } => {
  let stop = () => {}
  const received = new Promise<void>((resolve) => {
    const unsubscribe = ctx.bus.subscribe(execSubject(runId), () => resolve())
    const timer = setTimeout(resolve, withinMs)
    stop = () => {
      unsubscribe()
      clearTimeout(timer)
      resolve()
    }
    ctx.signal.addEventListener('abort', stop, { once: true })
  })
  return { received: received.finally(() => stop()), stop }
}

export const readOutput = async (
  ctx: Ctx<Member>,
  id: string,
  { after_seq: afterSeq = 0, wait_ms: waitMs = 0 }: { after_seq?: number; wait_ms?: number },
): Promise<ExecChunk[]> => {
  const { id: runId } = await findVisible(ctx, id)
  const endMs = Date.now() + waitMs
  for (;;) {
    const leftMs = endMs - Date.now()
    const update = nextOutput(ctx, runId, Math.min(Math.max(leftMs, 0), pollMs))
    // Read the status before the chunks: if it is final, the chunks are complete.
    const { status } = await findVisible(ctx, runId)
    const chunks = await output.readChunks(ctx.db, runId, { afterSeq, ...bounds })
    if (chunks.length > 0 || !isOpenExec(status) || leftMs <= 0 || ctx.signal.aborted) {
      update.stop()
      return chunks.map(chunkDto)
    }
    await update.received
  }
}
