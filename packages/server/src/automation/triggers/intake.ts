// Group commit: deliveries that arrive during an insert are inserted together by the next statement and answered after
// its commit. Under load, one disk flush serves hundreds of senders.
import type { Db } from '#platform/db/database.ts'
import { asSharedWork } from '#platform/fairness/work.ts'
import { insertDeliveries, type NewDelivery, releaseDeliveries } from './fires-store.ts'

/** How long a delivery id identifies duplicates. */
export const sameDeliveryMs = 24 * 3_600_000

export type DeliveryIntake = {
  /** Resolves to true once the delivery is durable, also as a duplicate; to false if its trigger has changed. */
  add(delivery: NewDelivery): Promise<boolean>
  /** True if many senders are waiting. */
  isOverloaded(): boolean
}

/** `key` identifies equal deliveries. */
type Keyed = { readonly key: string; readonly delivery: NewDelivery }
type PendingDelivery = Keyed & {
  readonly resolve: (stored: boolean) => void
  readonly reject: (error: unknown) => void
}

const maxRows = 500
const maxBatchChars = 8_000_000
/** Batches may overlap, once the next one is worth a statement. */
const maxFlushes = 4
const minFlush = 32
/** A batch of this size is written without waiting for more. */
const fullBatch = 64
const overloadedAt = 100

const keyOf = (triggerId: string, deliveryId: string | null, id: string): string =>
  deliveryId === null ? id : `${triggerId}/${deliveryId}`

export type IntakeParts = { db: Db; now: () => Date; onStored: () => void }

export const createDeliveryIntake = ({ db, now, onStored }: IntakeParts): DeliveryIntake => {
  const queue: PendingDelivery[] = []
  let unanswered = 0
  let flushes = 0
  let planned = false

  const plan = (): void => {
    if (planned || queue.length === 0) return
    if (flushes > 0 && (flushes >= maxFlushes || queue.length < minFlush)) return
    // The database can work while this event-loop turn still reads further deliveries.
    if (queue.length >= fullBatch) {
      void flush()
      return
    }
    planned = true
    // Collects the deliveries of this event-loop turn.
    setImmediate(() => {
      planned = false
      if (queue.length > 0) void flush()
    })
  }

  const flush = async (): Promise<void> => {
    flushes += 1
    const batch = queue.splice(0, batchLength(queue))
    await writeBatch(batch)
    unanswered -= batch.length
    flushes -= 1
    plan()
  }

  const writeBatch = async (batch: readonly PendingDelivery[]): Promise<void> => {
    const groups = Map.groupBy(batch, ({ key }) => key)
    try {
      const missing = await asSharedWork(() => write(db, [...groups].map(merged), now()))
      for (const { key, resolve } of batch) resolve(!missing.has(key))
      if (missing.size < groups.size) onStored()
    } catch (error) {
      if (groups.size > 1 && isAboutOneRow(error)) for (const group of groups.values()) await writeBatch(group)
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    add: (delivery) =>
      new Promise((resolve, reject) => {
        const key = keyOf(delivery.trigger.id, delivery.deliveryId, delivery.id)
        queue.push({ key, delivery, resolve, reject })
        unanswered += 1
        plan()
      }),
    isOverloaded: () => unanswered >= overloadedAt,
  }
}

const batchLength = (queue: readonly PendingDelivery[]): number => {
  let chars = 0
  for (const [index, { delivery }] of queue.entries()) {
    chars += delivery.payload.length + (delivery.wholePayload?.length ?? 0)
    if (index === maxRows || (index > 0 && chars > maxBatchChars)) return index
  }
  return queue.length
}

/** The first of equal deliveries, with the number of the others. */
const merged = ([key, group]: readonly [string, readonly PendingDelivery[]]): Keyed => {
  const [first] = group
  if (!first) throw new Error('A group of deliveries must not be empty')
  return group.length === 1 ? first : { key, delivery: { ...first.delivery, duplicates: group.length - 1 } }
}

const deadlockAttempts = 3

/** Returns the keys of deliveries that were not written. */
const write = async (db: Db, deliveries: Keyed[], now: Date): Promise<ReadonlySet<string>> => {
  const sameSince = new Date(now.getTime() - sameDeliveryMs).toISOString()
  const ordered = deliveries.sort((a, b) => (a.key < b.key ? -1 : 1))
  const rows = ordered.map(({ delivery }) => delivery)
  for (let attempt = 1; ; attempt += 1) {
    try {
      const written = await insertDeliveries(db, rows, { now: now.toISOString(), sameSince })
      if (written.length === ordered.length) return none
      const stored = new Set(written.map((row) => keyOf(row.trigger_id, row.delivery_id, row.id)))
      const missing = ordered.filter(({ key }) => !stored.has(key))
      // An expired id still blocks the new delivery; it is cleared before the second attempt.
      const named = missing.map(({ delivery }) => delivery).filter(({ deliveryId }) => deliveryId !== null)
      if (named.length > 0) await releaseDeliveries(db, named, sameSince)
      return new Set(missing.map(({ key }) => key))
    } catch (error) {
      if (sqlState(error) !== '40P01' || attempt >= deadlockAttempts) throw error
    }
  }
}

const none: ReadonlySet<string> = new Set()

const sqlState = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

/** SQLSTATE classes 22 and 54: a value that no column can store, which does not affect other rows of the batch. */
const isAboutOneRow = (error: unknown): boolean => /^(22|54)/.test(sqlState(error))
