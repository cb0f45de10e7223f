// Follows one command on a remote until it ends. Its output is polled while it runs, each time from the end of the last
// response. An ended command is replayed the same way.
import type { ExecChunk, ExecRun } from '@millrace/contract/remotes'
import { call } from '../api/call.ts'

const waitMs = 15_000

/** Repeated here, because the type in the contract would add its schemas to the bundle. */
export const isOpenExec = (status: ExecRun['status']): boolean => status === 'pending' || status === 'running'

export type Watcher = { onRun: (run: ExecRun) => void; onBytes: (bytes: Uint8Array, from: ExecChunk['stream']) => void }

const bytesOf = (base64: string): Uint8Array => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))

export const followExec = async (id: string, { onRun, onBytes }: Watcher, signal: AbortSignal): Promise<void> => {
  let after = 0
  for (let isOver = false; !isOver && !signal.aborted; ) {
    const run = await call('execs.get', { path: { id } }, { signal })
    onRun(run)
    const query = { after_seq: after, wait_ms: isOpenExec(run.status) ? waitMs : 0 }
    const chunks = await call('execs.output', { path: { id }, query }, { signal })
    for (const { data, stream } of chunks) onBytes(bytesOf(data), stream)
    after = chunks.at(-1)?.seq ?? after
    isOver = !isOpenExec(run.status) && run.last_seq <= after
  }
}
