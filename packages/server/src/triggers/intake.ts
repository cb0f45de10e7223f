// Group commit: deliveries that arrive while others are being written down are written together, by one statement, and
// answered together when it has committed. Under load one disk flush serves hundreds of senders.
import type { Db } from '../db/database.ts'
import { type Delivery, insertDeliveries, releaseDeliveries } from './fires-store.ts'

/** How long a delivery id stands for the same delivery. */
export const sameDeliveryMs = 24 * 3_600_000

export type Intake = {
  /** True once the delivery is durable, be it as a duplicate; false when its trigger is no longer what it was. */
  add(delivery: Delivery): Promise<boolean>
  /** Many senders wait for their answers. */
  isCrowded(): boolean
}

type Waiting = { delivery: Delivery; resolve: (stored: boolean) => void; reject: (error: unknown) => void }

const maxRows = 500
const maxBatchChars = 8_000_000
/** While one batch is on its way to the disk the next may follow, once it is worth a statement of its own. */
const maxFlushes = 3
const worthFlushing = 32
const crowd = 100

/** What makes two deliveries the same one. */
const keyOf = (triggerId: string, deliveryId: string | null, id: string): string =>
  deliveryId === null ? id : `${triggerId}/${deliveryId}`
const deliveryKey = ({ trigger, deliveryId, id }: Delivery): string => keyOf(trigger.id, deliveryId, id)

export type IntakeParts = { db: Db; now: () => Date; onStored: () => void }

export const createIntake = ({ db, now, onStored }: IntakeParts): Intake => {
  const queue: Waiting[] = []
  let unanswered = 0
  let flushes = 0
  let planned = false

  const plan = (): void => {
    if (planned || queue.length === 0) return
    if (flushes > 0 && (flushes >= maxFlushes || queue.length < worthFlushing)) return
    planned = true
    // Whatever else has arrived in this turn of the event loop comes along.
    setImmediate(() => {
      planned = false
      void flush()
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

  const writeBatch = async (batch: readonly Waiting[]): Promise<void> => {
    const groups = [...Map.groupBy(batch, ({ delivery }) => deliveryKey(delivery))]
    try {
      const stored = await write(db, groups.map(merged), now())
      for (const [key, group] of groups) for (const { resolve } of group) resolve(stored.has(key))
      if (stored.size > 0) onStored()
    } catch (error) {
      if (groups.length > 1 && isAboutOneRow(error)) for (const [, group] of groups) await writeBatch(group)
      else for (const { reject } of batch) reject(error)
    }
  }

  return {
    add: (delivery) =>
      new Promise((resolve, reject) => {
        queue.push({ delivery, resolve, reject })
        unanswered += 1
        plan()
      }),
    isCrowded: () => unanswered >= crowd,
  }
}

const batchLength = (queue: readonly Waiting[]): number => {
  let chars = 0
  for (const [index, { delivery }] of queue.entries()) {
    chars += delivery.payload.length + (delivery.wholePayload?.length ?? 0)
    if (index === maxRows || (index > 0 && chars > maxBatchChars)) return index
  }
  return queue.length
}

/** The first of the same deliveries; it knows how many came with it. */
const merged = ([, group]: readonly [string, readonly Waiting[]]): Delivery => {
  const [first, ...others] = group.map(({ delivery }) => delivery)
  if (!first) throw new Error('A group of deliveries is never empty')
  return others.length === 0 ? first : { ...first, duplicates: others.length }
}

const deadlockAttempts = 3

const write = async (db: Db, deliveries: Delivery[], now: Date): Promise<Set<string>> => {
  const sameSince = new Date(now.getTime() - sameDeliveryMs).toISOString()
  const ordered = deliveries.sort((a, b) => (deliveryKey(a) < deliveryKey(b) ? -1 : 1))
  for (let attempt = 1; ; attempt += 1) {
    try {
      const rows = await insertDeliveries(db, ordered, { now: now.toISOString(), sameSince })
      const stored = new Set(rows.map((row) => keyOf(row.trigger_id, row.delivery_id, row.id)))
      // An id whose time is over holds the place of the new delivery; it is free when that is tried again.
      const missing = ordered.filter((one) => one.deliveryId !== null && !stored.has(deliveryKey(one)))
      if (missing.length > 0) await releaseDeliveries(db, missing, sameSince)
      return stored
    } catch (error) {
      if (sqlState(error) !== '40P01' || attempt >= deadlockAttempts) throw error
    }
  }
}

const sqlState = (error: unknown): string => String((error as { code?: unknown }).code ?? '')

/** SQLSTATE classes 22 and 54: a value that no column can hold. The other rows of the batch are not to blame. */
const isAboutOneRow = (error: unknown): boolean => /^(22|54)/.test(sqlState(error))
