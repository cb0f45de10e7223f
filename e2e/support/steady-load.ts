// An open-loop load: each request is sent when it is due, independent of earlier replies. The number of open requests
// is bounded for slow machines; delayed requests are counted, so that a rate that was not achieved is not reported.
import { setTimeout as sleep } from 'node:timers/promises'

export type LoadReport = {
  seconds: number
  sent: number
  answered: number
  heldBack: number
  mostUnderWay: number
  sentPerSecond: number
  /** One sentence per failed request. */
  failures: string[]
}

export type Load = { stop(): Promise<LoadReport> }

export type LoadOptions = {
  perSecond: number
  mostUnderWay: number
  /** Rejects if the reply is wrong. */
  send(number: number): Promise<void>
}

const tickMs = 10

export const startLoad = ({ perSecond, mostUnderWay, send }: LoadOptions): Load => {
  const failures: string[] = []
  const running = new Set<Promise<void>>()
  const counts = { due: 0, sent: 0, answered: 0, heldBack: 0, mostUnderWay: 0 }
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
    counts.mostUnderWay = Math.max(counts.mostUnderWay, running.size)
  }

  const loop = (async () => {
    while (!stopped) {
      const due = Math.floor(((performance.now() - startedAtMs) / 1000) * perSecond)
      for (; counts.due < due; counts.due += 1) {
        if (running.size < mostUnderWay) launch()
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
        mostUnderWay: counts.mostUnderWay,
        sentPerSecond: sent / seconds,
        failures,
      }
    },
  }
}
