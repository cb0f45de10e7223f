// Renders markdown as HTML, each text on a thread of its own: some texts take minutes or exhaust memory, and on the
// main thread they would block every request. Workspaces are served in turn. Results are cached.
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'
import type { Platform } from '#platform/core/ctx.ts'
import { createFairShare } from '#platform/fairness/fair-share.ts'

/**
 * Returns the HTML, or null if the text takes too long or too many texts are waiting. `teamId` is the workspace that
 * owns the text.
 */
export type SetMarkdown = (teamId: string, markdown: string) => Promise<string | null>

/** Includes the start of the thread. */
const renderTimeoutMs = 3_000
const heapMiB = 64
/** Longer than the two texts that a workspace may render before another one is served. */
const waitMs = 3 * renderTimeoutMs
const maxWaiting = 8
const maxCacheSize = 16 * 1024 * 1024
/** A text that exceeded the limit is tried again after this time, because the machine may have been busy. */
const retryMs = 600_000
/** A short text with many links can produce megabytes of HTML, which is not served. */
const maxHtmlLength = 2 * 1024 * 1024

const setOnThread = (markdown: string): Promise<string | null> =>
  new Promise((resolve) => {
    const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), {
      workerData: markdown,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    })
    const timer = setTimeout(() => void worker.terminate(), renderTimeoutMs)
    worker.on('message', (html: string) => resolve(html.length > maxHtmlLength ? null : html))
    worker.on('error', () => resolve(null))
    worker.on('exit', () => {
      clearTimeout(timer)
      resolve(null)
    })
    worker.unref()
    timer.unref()
  })

export const createMarkdownThread = (log: Platform['log']): SetMarkdown => {
  const cache = new LRUCache<string, { html: string | null }>({
    maxSize: maxCacheSize,
    sizeCalculation: ({ html }) => 100 + (html?.length ?? 0),
  })
  const underWay = new Map<string, Promise<string | null>>()
  const queue = createFairShare({
    places: 1,
    perTenant: 1,
    maxWaiting: maxWaiting,
    waitMs,
    busyDetail: 'Too many texts are being rendered; try again in a moment',
  })

  const renderInTurn = async (teamId: string, hash: string, markdown: string): Promise<string | null> => {
    const leave = await queue.enter(teamId)
    try {
      const html = await setOnThread(markdown)
      if (html === null) log.warn({ team_id: teamId }, 'Markdown rendering exceeded its limit; showing the source text')
      cache.set(hash, { html }, html === null ? { ttl: retryMs } : {})
      return html
    } finally {
      leave()
    }
  }
  return (teamId, markdown) => {
    const hash = createHash('sha256').update(markdown).digest('hex')
    const known = cache.get(hash)
    if (known) return Promise.resolve(known.html)
    const begun =
      underWay.get(hash) ??
      renderInTurn(teamId, hash, markdown)
        // The queue was full or the wait timed out.
        .catch(() => null)
        .finally(() => underWay.delete(hash))
    underWay.set(hash, begun)
    return begun
  }
}
