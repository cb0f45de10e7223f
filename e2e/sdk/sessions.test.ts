// Guarantees: an app session of the published client retains its process and state until it is ended or its idle
// timeout expires.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy } from './deploy.ts'
import { type Guest, refused, startGuest } from './guest.ts'

type Task = { id: string; session_id: string; output: { total: number } }
type Session = { id: string; status: string; call_count: number; expires_at: string; idle_timeout: number }

const code = `
export class App {
  setup() { this.total = 0 }
  add({ by }) { this.total += by; return { total: this.total } }
}
`

describe('app sessions', () => {
  let guest: Guest
  let app: string
  beforeAll(async () => {
    guest = await startGuest()
    const version = { functions: { add: { name: 'add' } }, default_function: 'add' }
    app = (await deploy(guest.client, { name: 'counter', files: { 'inference.js': code }, version })).ref
  })
  afterAll(() => guest?.remove())

  const add = async (session: string, extra: object = {}) =>
    (await guest.client.run({ app, function: 'add', input: { by: 2 }, session, ...extra } as never)) as unknown as Task
  const sessionOf = async (id: string) => (await guest.client.sessions.get(id)).data as Session

  it('retain state across calls, separately from each other', async () => {
    const first = await add('new')
    const other = await add('new')
    expect(first.session_id).not.toBe(other.session_id)
    const totals = [first.output.total]
    for (let call = 0; call < 3; call += 1) totals.push((await add(first.session_id)).output.total)
    expect(totals).toEqual([2, 4, 6, 8])
    expect((await add(other.session_id)).output.total).toBe(4)
    expect(await sessionOf(first.session_id)).toMatchObject({ status: 'active', call_count: 4, idle_timeout: 60 })
    const { data: active } = await guest.client.sessions.list()
    expect(active.map((session: Session) => session.id)).toEqual(
      expect.arrayContaining([first.session_id, other.session_id]),
    )
    for (const { session_id: id } of [first, other]) await guest.client.sessions.end(id)
  })

  it('run the calls of one session one after another', async () => {
    const { session_id: id } = await add('new')
    const totals = await Promise.all(Array.from({ length: 5 }, async () => (await add(id)).output.total))
    expect(totals.toSorted((a, b) => a - b)).toEqual([4, 6, 8, 10, 12])
    await guest.client.sessions.end(id)
  })

  it('end when requested', async () => {
    const { session_id: id } = await add('new')
    await guest.client.sessions.end(id)
    expect(await sessionOf(id)).toMatchObject({ status: 'ended' })
    expect(await refused(add(id))).toEqual({ status: 410, code: 'session_ended' })
    expect(await refused(guest.client.sessions.keepalive(id))).toEqual({ status: 410, code: 'session_ended' })
    expect((await add('new')).output.total).toBe(2)
  })

  it('expire when idle, later when kept alive', async () => {
    const { session_id: long } = await add('new', { session_timeout: 3_600 })
    const before = (await sessionOf(long)).expires_at
    const kept = (await guest.client.sessions.keepalive(long)).data as Session
    expect(kept.expires_at > before).toBe(true)
    await guest.client.sessions.end(long)
    const { session_id: id } = await add('new', { session_timeout: 1 })
    while ((await sessionOf(id)).status === 'active') await new Promise((resolve) => setTimeout(resolve, 100))
    expect(await sessionOf(id)).toMatchObject({ status: 'expired' })
    expect(await refused(add(id))).toEqual({ status: 410, code: 'session_expired' })
  })

  it('are rejected if unknown, or for another app', async () => {
    expect(await refused(add('0'.repeat(26)))).toEqual({ status: 404, code: 'session_not_found' })
    const { session_id: session } = await add('new')
    const withForeignSession = guest.client.run({ app: 'millrace/echo', input: {}, session } as never)
    expect(await refused(withForeignSession)).toEqual({ status: 400, code: 'validation_error' })
    await guest.client.sessions.end(session)
  })
})
