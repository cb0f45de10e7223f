// The log: JSON lines for machines, readable text on a terminal. Errors are logged with name, message, code and stack
// only, because their other fields can contain connections and credentials.
import { Writable } from 'node:stream'
import pino from 'pino'
import type { Settings } from '#platform/settings/settings.ts'

const redact = ['*.authorization', '*.cookie', '*.password', '*.token']

export const createLog = ({ LOG_LEVEL }: Pick<Settings, 'LOG_LEVEL'>, terminal: boolean): pino.Logger => {
  const options = { level: LOG_LEVEL, redact, serializers: { err: describeError } }
  return terminal ? pino(options, readable(process.stdout)) : pino(options)
}

export const describeError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const { code } = error as NodeJS.ErrnoException
  return {
    type: name,
    message,
    ...(code === undefined ? {} : { code }),
    stack,
    ...(cause === undefined ? {} : { cause: describeError(cause) }),
  }
}

const unsaid = new Set(['level', 'time', 'pid', 'hostname', 'msg', 'err'])

/** A log line for people: time, message and details. */
export const readableLine = (line: string): string => {
  const entry = JSON.parse(line) as Record<string, unknown>
  const time = new Date(Number(entry.time)).toISOString().slice(11, 19)
  const level = pino.levels.labels[Number(entry.level)] ?? ''
  const details = Object.entries(entry)
    .filter(([key]) => !unsaid.has(key))
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const { stack, message } = (entry.err ?? {}) as { stack?: string; message?: string }
  const words = [`${time} ${level === 'info' ? '' : `${level}: `}${String(entry.msg ?? '')}`, ...details].join('  ')
  return `${[words, stack ?? message].filter(Boolean).join('\n')}\n`
}

const readable = (out: NodeJS.WritableStream): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      out.write(readableLine(chunk.toString('utf8')), () => done())
    },
  })
