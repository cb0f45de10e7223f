// Splits the stream of a task into lines and applies them to the task. Pure.
import type { Task } from '@millrace/contract/tasks'

/** Whole lines of a byte stream, independent of its chunks. */
export async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.trim() !== '') yield line
  }
  if (rest.trim() !== '') yield rest
}

export type TaskUpdate =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'delta'; readonly delta: Readonly<Record<string, unknown>> }

/** Null for a line that changes nothing. A partial line needs the task that it changes. */
export const foldLine = (known: Task | null, line: string): TaskUpdate | null => {
  const value = JSON.parse(line) as Record<string, unknown>
  if (value.type === 'heartbeat') return null
  if (value.event === 'delta') {
    const { delta } = value.data as { delta: Record<string, unknown> }
    return { kind: 'delta', delta }
  }
  if (!Array.isArray(value.fields)) return { kind: 'task', task: value as Task }
  return known === null ? null : { kind: 'task', task: { ...known, ...(value.data as object) } }
}
