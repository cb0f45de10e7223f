// Markdown set as HTML, each text on a thread of its own: some texts that anybody may write take minutes to set, or more
// memory than there is, and on the main thread everybody would wait for whoever looks at one. What came of a text is kept
// for the next who looks at it.
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { LRUCache } from 'lru-cache'

/** The HTML; null for a text that takes too much, or while too many wait. */
export type SetMarkdown = (markdown: string) => Promise<string | null>

/** Beginning a thread is part of it. */
const longestMs = 5_000
const heapMiB = 64
const mostWaiting = 32
const keptLength = 16 * 1024 * 1024
/** Short texts, which a few megabytes of links can come of, are not sent as those. */
const longestHtml = 2 * 1024 * 1024

const setOnThread: SetMarkdown = (markdown) =>
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

export const createMarkdownThread = (): SetMarkdown => {
  const kept = new LRUCache<string, { html: string | null }>({
    maxSize: keptLength,
    sizeCalculation: ({ html }) => 100 + (html?.length ?? 0),
  })
  let waiting = 0
  let last: Promise<unknown> = Promise.resolve()

  const setOnce = async (hash: string, markdown: string): Promise<string | null> => {
    const { html } = kept.get(hash) ?? { html: await setOnThread(markdown) }
    kept.set(hash, { html })
    return html
  }
  return async (markdown) => {
    const hash = createHash('sha256').update(markdown).digest('hex')
    const known = kept.get(hash)
    if (known) return known.html
    if (waiting >= mostWaiting) return null
    waiting += 1
    const turn = last.then(() => setOnce(hash, markdown)).finally(() => (waiting -= 1))
    last = turn
    return turn
  }
}
