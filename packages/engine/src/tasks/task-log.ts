// The log of one task on its way to the server: lines are gathered for a moment, secrets are masked, and past its
// budget the log ends with a note. A flood costs the reading of the pipe and nothing more.

import { type TaskLogType, toBase64 } from '@millrace/contract/engine-frames'

const flushAfterMs = 40
const flushAtChars = 32 * 1024
const mask = '***'
const shortestSecret = 6

export type TaskLog = {
  add: (type: TaskLogType, line: string) => void
  flush: () => void
  secrets: (values: readonly string[]) => void
  redact: (text: string) => string
}

export const makeTaskLog = (limitBytes: number, send: (type: TaskLogType, logs: string) => void): TaskLog => {
  const gathered = new Map<TaskLogType, string>()
  let secrets: readonly string[] = []
  let usedBytes = 0
  let timer: NodeJS.Timeout | undefined

  const redact = (text: string) => secrets.reduce((result, secret) => result.replaceAll(secret, mask), text)

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    for (const [type, text] of gathered) send(type, toBase64(text))
    gathered.clear()
  }

  return {
    redact,
    flush,
    // A log is masked line by line, so each line of a value counts. The longest go first: one that begins like a shorter
    // one would keep its rest. Very short values would mask half of every log without hiding anything.
    secrets: (values) => {
      secrets = values
        .flatMap((value) => [value, ...value.split(/\r?\n/)])
        .filter((value) => value.length >= shortestSecret)
        .sort((a, b) => b.length - a.length)
    },
    add: (type, line) => {
      if (usedBytes > limitBytes) return
      usedBytes += line.length + 1
      const text = usedBytes > limitBytes ? `[log cut: the limit of ${limitBytes} bytes is reached]` : redact(line)
      const whole = `${gathered.get(type) ?? ''}${text}\n`
      gathered.set(type, whole)
      if (whole.length >= flushAtChars) flush()
      else timer ??= setTimeout(flush, flushAfterMs)
    },
  }
}
