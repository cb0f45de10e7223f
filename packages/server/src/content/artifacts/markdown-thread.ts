// Markdown set as HTML, each text on a thread of its own: some texts that anybody may write take minutes to set, or more
// memory than there is, and on the main thread everybody would wait for whoever looks at one. Workspaces take turns. What
// came of a text is kept for the next who looks at it.
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { Platform } from '#platform/core/ctx.ts'
import { createShares } from '#platform/fairness/shares.ts'

/** The HTML; null for a text that takes too much, or while too many wait. `teamId`: whose text it is. */
export type SetMarkdown = (teamId: string, markdown: string) => Promise<string | null>

/** Beginning a thread is part of it. */
const longestMs = 3_000
const heapMiB = 64
/** Longer than the two texts of a workspace that may be set before another one has its turn. */
const waitMs = 3 * longestMs
const mostWaiting = 8
const keptLength = 16 * 1024 * 1024
/** A text that took too much is tried again after a while: it may have been the machine that was busy. */
const retryMs = 600_000
/** Short texts, which a few megabytes of links can come of, are not sent as those. */
const longestHtml = 2 * 1024 * 1024

const setOnThread = (markdown: string): Promise<string | null> =>
  new Promise((resolve) => {
    const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), {
      workerData: markdown,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    })
    const timer = setTimeout(() => void worker.terminate(), longestMs)
    worker.on('message', (html: string) => resolve(html.length > longestHtml ? null : html))
    worker.on('error', () => resolve(null))
    worker.on('exit', () => {
      clearTimeout(timer)
      resolve(null)
    })
    worker.unref()
    timer.unref()
  })

export const createMarkdownThread = (log: Platform['log']): SetMarkdown => {
  const kept = new LRUCache<string, { html: string | null }>({
    maxSize: keptLength,
    sizeCalculation: ({ html }) => 100 + (html?.length ?? 0),
  })
  const underWay = new Map<string, Promise<string | null>>()
  const turns = createShares({
    places: 1,
    perTenant: 1,
    maxWaiting: mostWaiting,
    waitMs,
    busyDetail: 'Too many texts are being set at once; try again in a moment',
  })

  const setInTurn = async (teamId: string, hash: string, markdown: string): Promise<string | null> => {
    const leave = await turns.enter(teamId)
    try {
      const html = await setOnThread(markdown)
      if (html === null) log.warn({ team_id: teamId }, 'Markdown rendering exceeded its limit; showing the source text')
      kept.set(hash, { html }, html === null ? { ttl: retryMs } : {})
      return html
    } finally {
      leave()
    }
  }
  return (teamId, markdown) => {
    const hash = createHash('sha256').update(markdown).digest('hex')
    const known = kept.get(hash)
    if (known) return Promise.resolve(known.html)
    const begun =
      underWay.get(hash) ??
      setInTurn(teamId, hash, markdown)
        // There was no turn for it.
        .catch(() => null)
        .finally(() => underWay.delete(hash))
    underWay.set(hash, begun)
    return begun
  }
}
