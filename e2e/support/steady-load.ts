// An open-loop load: each request is sent when it is due, independent of earlier replies. The number of open requests
// is bounded for slow machines; delayed requests are counted, so that a rate that was not achieved is not reported.
import { setTimeout as sleep } from 'node:timers/promises'

export type LoadReport = {
  seconds: number
  sent: number
  answered: number
  heldBack: number
  maxConcurrent: number
  sentPerSecond: number
  /** One sentence per failed request. */
  failures: string[]
}

export type Load = { stop(): Promise<LoadReport> }

export type LoadOptions = {
  perSecond: number
  maxConcurrent: number
  /** Rejects if the reply is wrong. */
  send(number: number): Promise<void>
}

const tickMs = 10

export const startLoad = ({ perSecond, maxConcurrent, send }: LoadOptions): Load => {
  const failures: string[] = []
  const running = new Set<Promise<void>>()
  const counts = { due: 0, sent: 0, answered: 0, heldBack: 0, maxConcurrent: 0 }
  const startedAtMs = performance.now()
  let stopped = false

  const launch = (): void => {
    const one = send(counts.sent++)
      .then(() => {
        counts.answered += 1
      })
      .catch((error: unknown) => void failures.push(String(error)))
      .finally(() => running.delete(one))
    running.add(one)
    counts.maxConcurrent = Math.max(counts.maxConcurrent, running.size)
  }

  const loop = (async () => {
    while (!stopped) {
      const due = Math.floor(((performance.now() - startedAtMs) / 1000) * perSecond)
      for (; counts.due < due; counts.due += 1) {
        if (running.size < maxConcurrent) launch()
        else counts.heldBack += 1
      }
      await sleep(tickMs)
    }
  })()

  return {
    stop: async () => {
      stopped = true
      await loop
      const seconds = (performance.now() - startedAtMs) / 1000
      await Promise.all(running)
      const { sent, answered, heldBack } = counts
      return {
        seconds,
        sent,
        answered,
        heldBack,
        maxConcurrent: counts.maxConcurrent,
        sentPerSecond: sent / seconds,
        failures,
      }
    },
  }
}
