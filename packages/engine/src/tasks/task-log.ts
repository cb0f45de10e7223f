// Sends the log of one task to the server: lines are batched, secrets are masked, and the log is cut with a note at its
// limit. Beyond the limit, the engine only drains the pipe.

import { type TaskLogType, toBase64 } from '@millrace/contract/engine-frames'
import { masker } from '@millrace/contract/mask'

const flushAfterMs = 40
const flushAtChars = 32 * 1024
const mask = '***'

export type TaskLog = {
  add: (type: TaskLogType, line: string) => void
  flush: () => void
  secrets: (values: readonly string[]) => void
  redact: (text: string) => string
}

export const createTaskLog = (limitBytes: number, send: (type: TaskLogType, logs: string) => void): TaskLog => {
  const gathered = new Map<TaskLogType, string>()
  let redact = masker([])
  let usedBytes = 0
  let timer: NodeJS.Timeout | undefined

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    for (const [type, text] of gathered) send(type, toBase64(text))
    gathered.clear()
  }

  return {
    redact: (text) => redact(text),
    flush,
    secrets: (values) => {
      redact = masker(values, mask)
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
