// Splits logs into lines. Pure.
import type { TaskLog } from '@millrace/contract/tasks'

/** The sections of logs, by their number on the wire. */
const phases = ['build', 'run', 'serve', 'setup', 'task'] as const

export type LogLine = { key: string; phase: string; text: string }

export const decode = (base64: string): string =>
  new TextDecoder().decode(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)))

export const linesOf = (logs: readonly TaskLog[]): LogLine[] =>
  logs.flatMap(({ id, log_type, content }) =>
    decode(content)
      .replace(/\n$/, '')
      .split('\n')
      .map((text, index) => ({ key: `${id}-${index}`, phase: phases[log_type] ?? 'task', text })),
  )

export const matching = (lines: readonly LogLine[], term: string): readonly LogLine[] => {
  const wanted = term.trim().toLowerCase()
  return wanted === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(wanted))
}
