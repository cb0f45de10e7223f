// The merged deltas of running tasks. Deltas change no row, so they are collected in memory: a task that is canceled while
// it streams keeps what was received until then as its output. The task's engine is connected to this server.
import { mergeDelta } from '@millrace/contract/merge-deltas'
import { LRUCache } from 'lru-cache'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'

const maxBytes = 32 * 1024 * 1024
const maxTaskBytes = 1024 * 1024

type Streamed = { readonly sum: Record<string, unknown>; readonly bytes: number; readonly isStopped: boolean }

const streamedOf = perPlatform(
  () => new LRUCache<string, Streamed>({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes + 1 }),
)

type Holder = Pick<Ctx<Actor>, 'extensions'>

/** Deltas after the first MiB are not collected. */
export const addStreamed = (
  ctx: Holder,
  id: string,
  seq: number,
  delta: { value: unknown; sizeBytes: number },
): void => {
  const all = streamedOf(ctx)
  const known = all.get(id)
  if (known?.isStopped) return
  // A new attempt starts at 1.
  const { sum, bytes } = known && seq !== 1 ? known : { sum: {}, bytes: 0 }
  if (bytes + delta.sizeBytes > maxTaskBytes) return
  all.set(id, { sum: mergeDelta(sum, delta.value), bytes: bytes + delta.sizeBytes, isStopped: false })
}

/** Later deltas are not part of the output. */
export const stopStreamed = (ctx: Holder, id: string): void => {
  const known = streamedOf(ctx).get(id)
  if (known) streamedOf(ctx).set(id, { ...known, isStopped: true })
}

/** The merged deltas; undefined if there were none. */
export const streamedOutput = (ctx: Holder, id: string): Record<string, unknown> | undefined =>
  streamedOf(ctx).get(id)?.sum

export const removeStreamed = (ctx: Holder, id: string): void => void streamedOf(ctx).delete(id)
