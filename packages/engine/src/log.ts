// The engine's own log, one JSON line per event. Task logs are separate: they belong to the task's owner and are sent
// as frames.

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type Log = (level: LogLevel, message: string, fields?: Record<string, unknown>) => void

export const silentLog: Log = () => {}

export const lineLog =
  (write: (line: string) => void, now: () => Date = () => new Date()): Log =>
  (level, message, fields) => {
    if (level === 'debug') return
    write(`${JSON.stringify({ time: now().toISOString(), level, message, ...fields })}\n`)
  }
