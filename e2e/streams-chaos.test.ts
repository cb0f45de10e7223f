// Guarantees: a stream reader that keeps losing its connection ends with the same transcript as one that did not: the
// same merged task and the same order of statuses. STREAM_CLIENTS and STREAM_TASKS set the size.
import { expect, it } from 'vitest'
import { type Guest, startGuest } from './sdk/guest.ts'
import { readToTheEnd, type Transcript } from './support/stream-reader.ts'

const clientCount = Number(process.env.STREAM_CLIENTS ?? 30)
const taskCount = Number(process.env.STREAM_TASKS ?? 12)

const input = { to: 8, delay_ms: 40 }
const completed = 10

/** Starts when the readers are connected. */
const startTask = async ({ client }: Guest, runAt: string): Promise<string> => {
  const request = { app: 'millrace/echo', function: 'count', input, run_at: runAt }
  const task = await client.run(request as never, { wait: false })
  return (task as unknown as { id: string }).id
}

const isRising = (statuses: readonly number[]): boolean =>
  statuses.every((status, index) => index === 0 || status > Number(statuses[index - 1]))

/** Both readers must have the same fields, and with `events` the same order of statuses. */
const same = (one: Transcript, other: Transcript | undefined): boolean =>
  JSON.stringify(sorted(one.state)) === JSON.stringify(sorted(other?.state ?? {}))

const sorted = (state: Record<string, unknown>) => Object.entries(state).toSorted(([a], [b]) => (a < b ? -1 : 1))

it(`${clientCount} interrupted readers of ${taskCount} tasks receive the same as uninterrupted ones`, {
  timeout: 300_000,
}, async () => {
  const guest = await startGuest({
    env: { RATE_LIMIT_RUN: '0', RATE_LIMIT_GET_TASK: '0', ENGINE_CPU_WORKERS: '4' },
  })
  try {
    const headers = { authorization: `Bearer ${guest.apiKey}` }
    const read = (id: string, index: number, breakChance: number) =>
      readToTheEnd({
        url: `${guest.server.url}/tasks/${id}/stream`,
        headers,
        encoding: index % 2 === 0 ? 'sse' : 'ndjson',
        breakChance,
      })
    const runAt = new Date(Date.now() + 1_000 + 20 * (taskCount + clientCount)).toISOString()
    const ids = await Promise.all(Array.from({ length: taskCount }, () => startTask(guest, runAt)))
    const [whole, broken] = await Promise.all([
      Promise.all(ids.map((id, index) => read(id, index, 0))),
      Promise.all(Array.from({ length: clientCount }, (_, index) => read(ids[index % taskCount] ?? '', index, 0.3))),
    ])
    const differing = broken.filter((transcript, index) => !same(transcript, whole[index % taskCount]))
    const complaints = [...whole, ...broken].flatMap((transcript) => transcript.complaints)
    const disorderly = [...whole, ...broken].filter(({ statuses }) => !isRising(statuses))
    const breaks = broken.reduce((sum, { connections }) => sum + connections - 1, 0)
    console.log(
      `streams: ${clientCount} readers of ${taskCount} tasks, ${breaks} breaks, ${differing.length} transcripts differ, ${complaints.length} complaints`,
    )
    for (const { state } of whole) expect(state).toMatchObject({ status: completed, output: { count: input.to } })
    for (const { state, statuses } of whole)
      expect((state.events as { status: number }[]).map(({ status }) => status)).toEqual(
        expect.arrayContaining(statuses),
      )
    expect({ differing, complaints, disorderly }).toEqual({ differing: [], complaints: [], disorderly: [] })
    expect(breaks).toBeGreaterThan(clientCount)
  } finally {
    await guest.remove()
  }
})
