// Guarantees: the mailed link opens a page that shows the invite to everyone with the link, accepts an answer only from
// a signed-in browser on the page itself, and redirects through sign-in without storing the token.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mailHandler, mailJob } from '#platform/mail/queue.ts'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const invite = async (): Promise<{ id: string; token: string }> => {
  const { platform, database } = world.open
  await platform.db.deleteFrom('invites').execute()
  await platform.db
    .deleteFrom('team_members')
    .where('team_id', '=', world.team.id)
    .where('user_id', '=', world.people.stranger.userId)
    .execute()
  const made = await world.call('admin', `POST /teams/${world.team.id}/invites`, {
    body: { email: 'stranger@example.com', role: 'member' },
  })
  const { rows } = await database.pool.query<{ payload: Record<string, unknown> }>(
    `delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
     where t.id = j.task_id and t.identifier = $1 returning j.payload`,
    [mailJob],
  )
  for (const { payload } of rows) await mailHandler(platform)(payload)
  const link = /(http\S+)\/invite\?token=(\S+)/.exec(platform.mailer.printed()[0]?.text ?? '')
  expect(link?.[1]).toBe(platform.settings.APP_URL)
  return { id: made.data.id, token: link?.[2] ?? '' }
}

type Browser = 'browser:stranger' | 'browser:member'
const open = (as: Browser | null, query: Record<string, string>) => world.call(as, 'GET /invite', { query })
const post = (as: Browser | null, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  world.call(as, 'POST /invite', {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })

describe('the invite page', () => {
  it('shows a signed-out visitor what it is about, and the way through signing in holds no token', async () => {
    const { id, token } = await invite()
    const { status, text, headers } = await open(null, { token })
    expect(status).toBe(200)
    expect(text).toContain('Mill')
    expect(text).toContain('stranger@example.com')
    expect(text).not.toContain(token)
    expect(text).toContain(encodeURIComponent(`/invite?id=${id}`))
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(headers['cache-control']).toBe('no-store')
  })

  it('lets the invited account in, with the link or on the way back from signing in', async () => {
    for (const query of [({ token }: { token: string }) => ({ token }), ({ id }: { id: string }) => ({ id })]) {
      const made = await invite()
      const shown = await open('browser:stranger', query(made) as Record<string, string>)
      expect(shown.text).toContain('name="decision"')
      const fields = Object.fromEntries(
        [...shown.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
          name,
          value,
        ]),
      )
      const answered = await post('browser:stranger', { ...fields, decision: 'accept' })
      expect(answered.status).toBe(200)
      expect(answered.text).toContain('Welcome')
      expect((await world.call('stranger', `GET /teams/${world.team.id}`)).data.role).toBe('member')
      expect((await open('browser:stranger', { token: made.token })).text).toContain('This invite is closed')
    }
  })

  it('declines', async () => {
    const { id } = await invite()
    const answered = await post('browser:stranger', { id, decision: 'decline' })
    expect(answered.text).toContain('Declined')
    expect((await open(null, { token: 'x' })).status).toBe(404)
  })

  it('an answer counts only from the page itself, by the signed-in invitee', async () => {
    const { id } = await invite()
    const accept = { id, decision: 'accept' }
    const foreign = await post('browser:stranger', accept, { origin: 'https://evil.example' })
    expect(foreign.status).toBe(303)
    expect((await post(null, accept)).status).toBe(303)
    expect((await post('browser:member', accept)).status).toBe(404)
    expect((await post('browser:stranger', { id, decision: 'maybe' })).status).toBe(400)
    const pending = await world.call('stranger', 'GET /invites')
    expect(pending.data).toHaveLength(1)
  })

  it('never lets a name become markup', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    await world.call('owner', `POST /teams/${world.team.id}`, { body: { name: hostile } })
    const { token } = await invite()
    for (const as of [null, 'browser:stranger'] as const)
      expect((await open(as, { token })).text).not.toContain('<img src=x')
  })
})
