// Converts OpenAPI documents, each on a thread of its own with limits of time and memory: some documents take minutes or
// exhaust memory, and on the main thread they would block every request. Workspaces are served in turn.
import { Worker } from 'node:worker_threads'
import { fail } from '#platform/core/errors.ts'
import { createFairShare } from '#platform/fairness/fair-share.ts'
import type { Converted, ConvertOptions } from './convert.ts'
import type { FromWorker, ToWorker } from './worker.ts'

export type ConverterLimits = { timeoutMs: number; heapMiB: number }

const limits: ConverterLimits = { timeoutMs: 30_000, heapMiB: 512 }

const queue = createFairShare({
  places: 2,
  perTenant: 1,
  maxWaiting: 4,
  waitMs: 2 * limits.timeoutMs,
  busyDetail: 'Too many documents are being converted; try again in a moment',
})

const tooMuch = 'The document needs too much time or memory; reduce it to the parts that you need'

export const convertOnThread = (work: ToWorker, { timeoutMs, heapMiB } = limits): Promise<FromWorker> =>
  new Promise((resolve) => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: work,
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    })
    const timer = setTimeout(() => void worker.terminate(), timeoutMs)
    worker.on('message', resolve)
    worker.on('error', () => resolve({ problem: tooMuch }))
    worker.on('exit', () => {
      clearTimeout(timer)
      resolve({ problem: tooMuch })
    })
  })

export const convertFor = async (teamId: string, text: string, options: ConvertOptions): Promise<Converted> => {
  const release = await queue.enter(teamId)
  try {
    const answer = await convertOnThread({ text, options })
    if ('problem' in answer) throw fail('validation_error', answer.problem)
    return answer.converted
  } finally {
    release()
  }
}
