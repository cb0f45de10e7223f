// Guarantees: a stream reads the same for any chunks, and its lines are applied to the task.
import type { Task } from '@millrace/contract/tasks'
import { describe, expect, it, test } from 'vitest'
import { foldLine, linesOf } from './stream-lines.ts'

const collect = async (chunks: Uint8Array[]): Promise<string[]> => {
  const lines: string[] = []
  for await (const line of linesOf(
    (async function* () {
      yield* chunks
    })(),
  ))
    lines.push(line)
  return lines
}

describe('lines', () => {
  const bytes = Buffer.from('{"a":"ü"}\n\n{"b":2}\n{"c":3}')
  it.each([1, 2, 3, 7, 100])('in chunks of %i bytes', async (size) => {
    const chunks = []
    for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
    expect(await collect(chunks)).toEqual(['{"a":"ü"}', '{"b":2}', '{"c":3}'])
  })
  it('of nothing', async () => expect(await collect([])).toEqual([]))
})

describe('folding', () => {
  const task = { id: '1', status: 7, output: null } as Task
  test.each<[string, Task | null, object, object | null]>([
    ['a heartbeat says nothing', task, { type: 'heartbeat' }, null],
    ['a whole task', null, task, { kind: 'task', task }],
    [
      'a part changes what it names',
      task,
      { data: { id: '1', status: 9 }, fields: ['status'] },
      { kind: 'task', task: { id: '1', status: 9, output: null } },
    ],
    ['a part of nothing known says nothing', null, { data: { id: '1' }, fields: ['status'] }, null],
    [
      'a delta',
      task,
      { event: 'delta', data: { delta: { response: 'a' }, seq: 1 } },
      { kind: 'delta', delta: { response: 'a' } },
    ],
  ])('%s', (_claim, known, line, expected) => expect(foldLine(known, JSON.stringify(line))).toEqual(expected))
})
