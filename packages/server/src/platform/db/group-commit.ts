// Group commit. Items that arrive while a statement is running wait and are written together by the next statement. An
// item that arrives alone is written at once, so groups form only under load.
import { tooMany } from '../fairness/fair-share.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

export type GroupParts<Item, Result> = {
  /** Writes all items with one statement. The results are in the order of the items. */
  write(items: readonly Item[]): Promise<readonly Result[]>
  /** The size of an item, for the limits of a group and of the waiting items. */
  charsOf(item: Item): number
  /** More items are refused. Without it, the caller limits the items. */
  maxWaiting?: { readonly items: number; readonly chars: number }
  /** No item is waiting or being written. */
  onIdle?: () => void
}

export type Group<Item, Result> = {
  /** Throws `rate_limited` when too many items are waiting. */
  add(item: Item): Promise<Result>
}

type Waiting<Item, Result> = {
  readonly item: Item
  readonly chars: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

const maxItems = 64
const maxChars = 4_000_000
/** Statements may overlap once enough items are waiting to be worth another one. */
const maxRunning = 3
const minOverlapping = 12

export const createGroup = <Item, Result>(parts: GroupParts<Item, Result>): Group<Item, Result> => {
  const waiting: Waiting<Item, Result>[] = []
  let waitingChars = 0
  let running = 0
  let isPlanned = false

  const isFull = (chars: number): boolean => {
    const { items = Number.POSITIVE_INFINITY, chars: allChars = Number.POSITIVE_INFINITY } = parts.maxWaiting ?? {}
    return waiting.length >= items || (waiting.length > 0 && waitingChars + chars > allChars)
  }

  const plan = (): void => {
    if (isPlanned || waiting.length === 0) return
    if (running > 0 && (running >= maxRunning || waiting.length < minOverlapping)) return
    isPlanned = true
    // Collects the items of this turn of the event loop.
    setImmediate(() => {
      isPlanned = false
      if (waiting.length > 0) void flush()
    })
  }

  const take = (): Waiting<Item, Result>[] => {
    let chars = 0
    const end = waiting.findIndex((one, index) => {
      chars += one.chars
      return index === maxItems || (index > 0 && chars > maxChars)
    })
    const batch = waiting.splice(0, end < 0 ? waiting.length : end)
    for (const one of batch) waitingChars -= one.chars
    return batch
  }

  const flush = async (): Promise<void> => {
    running += 1
    await writeBatch(parts, take())
    running -= 1
    plan()
    if (running === 0 && waiting.length === 0) parts.onIdle?.()
  }

  return {
    add: (item) => {
      const chars = parts.charsOf(item)
      if (isFull(chars)) throw tooMany()
      return new Promise((resolve, reject) => {
        waiting.push({ item, chars, resolve, reject })
        waitingChars += chars
        plan()
      })
    },
  }
}

/** If a statement fails, its items are written one by one: a value that cannot be stored affects only its own item. */
const writeBatch = async <Item, Result>(
  parts: GroupParts<Item, Result>,
  batch: readonly Waiting<Item, Result>[],
): Promise<void> => {
  try {
    const results = await parts.write(batch.map(({ item }) => item))
    for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result)
  } catch (error) {
    if (batch.length > 1 && !isDatabaseUnavailable(error))
      await Promise.all(batch.map((one) => writeBatch(parts, [one])))
    else for (const { reject } of batch) reject(error)
  }
}
