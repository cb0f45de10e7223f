// A load that does not wait for its answers: each request leaves when it is due, however slow the ones before it are.
// Only a bound on how many are under way keeps it from drowning a machine that cannot follow; what the bound held back
// is counted, so that a rate that was not really offered cannot be claimed.
import { setTimeout as sleep } from 'node:timers/promises'

export type LoadReport = {
  seconds: number
  sent: number
  answered: number
  heldBack: number
  mostUnderWay: number
  sentPerSecond: number
  /** One sentence per request that was not answered as it should be. */
  failures: string[]
}

export type Load = { stop(): Promise<LoadReport> }

export type LoadOptions = {
  perSecond: number
  mostUnderWay: number
  /** Rejects when the answer is not the right one. */
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
