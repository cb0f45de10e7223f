// Finds the new part of growing logs, in whole characters. Pure apart from its state.
import type { TaskLog } from '@millrace/contract/tasks'

const logTypes = ['build', 'run', 'serve', 'setup', 'task'] as const
export const logTypeName = (type: number): string => logTypes[type] ?? `log ${type}`

export type LogPiece = { readonly type: string; readonly text: string }

export const decodeLog = ({ log_type, content }: TaskLog): LogPiece => ({
  type: logTypeName(log_type),
  text: Buffer.from(content, 'base64').toString('utf8'),
})

/** Each call receives the whole logs and returns what is new since the last call. */
export const createLogReader = (): ((logs: readonly TaskLog[] | undefined) => LogPiece[]) => {
  const seen = new Map<string, number>()
  return (logs = []) =>
    logs.map(decodeLog).flatMap(({ type, text }) => {
      const from = seen.get(type) ?? 0
      if (text.length <= from) return []
      seen.set(type, text.length)
      return [{ type, text: text.slice(from) }]
    })
}
