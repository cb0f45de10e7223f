// Marker lines of the runner in the log: its port once, and on both streams the name of each call whose output is
// complete. The app shares a process with the runner and can forge them, so only names of actual calls are accepted.

import { TaskFailure } from '../failures.ts'

const markerTimeoutMs = 250

export type MarkerBoard = ReturnType<typeof createMarkerBoard>

export const createMarkerBoard = () => {
  const seen = new Map<string, number>()
  const waiting = new Map<string, () => void>()
  let trusted = true
  let reportPort: (port: number) => void = () => {}
  let reportFailure: (text: string) => void = () => {}
  const port = new Promise<number>((resolve, reject) => {
    reportPort = resolve
    reportFailure = (text) => reject(new TaskFailure(text))
  })
  port.catch(() => {})

  const begin = (name: string): void => void seen.set(name, 0)

  const post = (content: Record<string, unknown>) => {
    if (typeof content.port === 'number') reportPort(content.port)
    if (typeof content.failed === 'string') reportFailure(content.failed)
    if (typeof content.end !== 'string') return
    const before = seen.get(content.end)
    if (before === undefined) return
    seen.set(content.end, before + 1)
    if (before + 1 >= 2) waiting.get(content.end)?.()
  }

  const ended = async (name: string): Promise<void> => {
    // An app that closed or replaced its streams loses the markers: the engine waits for them once, then never again.
    if ((seen.get(name) ?? 0) < 2 && trusted)
      await new Promise<void>((resolve) => {
        const settle = () => {
          clearTimeout(timer)
          waiting.delete(name)
          resolve()
        }
        const giveUp = () => {
          if (!waiting.has(name)) return
          trusted = false
          settle()
        }
        // Pending input is read between the timer and the immediate.
        const timer = setTimeout(() => setImmediate(giveUp), markerTimeoutMs)
        waiting.set(name, settle)
      })
    seen.delete(name)
  }

  return { begin, post, ended, port, fail: (text: string) => reportFailure(text) }
}
