// Guarantees: a live session of the published client: frames in both directions while the task runs, and both ways to
// end it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { type Guest, startGuest } from './guest.ts'

type Session = {
  state: string
  ended: Promise<{ code: number; byCaller: boolean }>
  sendPatch(patch: object): void
  sendBinary(data: Uint8Array): void
  close(): void
}
type Task = { id: string; status: number; output: { frames: number } | null }

const app = 'millrace/echo'

describe('live sessions', () => {
  let guest: Guest
  beforeAll(async () => {
    guest = await startGuest()
  })
  afterAll(() => guest?.remove())

  const ended = async (id: string): Promise<Task> => (await guest.client.tasks.watch({ id } as never).done) as Task
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise((resolve) => setTimeout(resolve, 10))
  }

  it('carry text and bytes both ways, and end when the caller closes', async () => {
    const patches: object[] = []
    const bytes: Uint8Array[] = []
    const states: string[] = []
    const { task, session } = (await guest.client.live(
      { app, function: 'live', input: {} } as never,
      {
        onPatch: (patch: object) => patches.push(patch),
        onBinary: (data: ArrayBuffer) => bytes.push(new Uint8Array(data)),
        onState: (state: string) => states.push(state),
      } as never,
      { webSocket: WebSocket } as never,
    )) as unknown as { task: Task; session: Session }
    await until(() => states.includes('waiting'))
    session.sendPatch({ messages: { n: 1 } })
    session.sendPatch({ messages: { n: 2 } })
    await until(() => patches.length === 2)
    session.sendBinary(new Uint8Array([1, 2, 3]))
    await until(() => bytes.length === 1)
    expect(patches).toEqual([{ messages: { n: 1 } }, { messages: { n: 2 } }])
    expect(bytes).toEqual([new Uint8Array([1, 2, 3])])
    expect(states).toEqual(['connecting', 'waiting', 'live'])
    session.close()
    expect(await session.ended).toMatchObject({ byCaller: true })
    expect(await ended(task.id)).toMatchObject({ status: 10, output: { frames: 3 } })

    const socket = await guest.client.sockets.forTask(task.id)
    expect(socket).toMatchObject({ task_id: task.id, status: 'closed', client_frames: 3, worker_frames: 3 })
    await guest.client.sockets.delete((socket as { id: string }).id)
    expect(await guest.client.sockets.forTask(task.id)).toBeNull()
  })

  it('are opened later, by the id of the task', async () => {
    const started = (await guest.client.run({ app, function: 'live', input: {} } as never, { wait: false })) as Task
    const patches: object[] = []
    const session = (await guest.client.sockets.open(
      started.id as never,
      { onPatch: (patch: object) => patches.push(patch) } as never,
      { webSocket: WebSocket } as never,
    )) as unknown as Session
    await until(() => session.state === 'waiting')
    session.sendPatch({ messages: 'late' })
    await until(() => patches.length === 1)
    expect(patches).toEqual([{ messages: 'late' }])
    session.close()
    expect(await ended(started.id)).toMatchObject({ output: { frames: 1 } })
  })

  it('end with their task', async () => {
    const { task, session } = (await guest.client.live({ app, function: 'live', input: {} } as never, {}, {
      webSocket: WebSocket,
    } as never)) as unknown as { task: Task; session: Session }
    await until(() => session.state === 'waiting')
    await guest.call(`POST /tasks/${task.id}/cancel`, { force: true })
    expect(await session.ended).toMatchObject({ byCaller: false })
  })
})
