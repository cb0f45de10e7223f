// Guarantees: a mailed proof works once, for few tries and a short time, under any concurrency; the mail is sent even
// if the mail server or this server is down for a while; nothing of it is stored in plain text.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { issueSignInLink } from '../service.ts'
import { cookiesOf, mailsTo, newAddress, otherCode, requestLink } from '../testing/sign-in.ts'
import { codeTries, linksPerHour } from './magic-links.ts'

describe('links and codes', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ runJobs: true })
  })
  afterAll(() => world?.close())

  const send = (email: string) => world.call(null, 'POST /auth/magic-link/send', { body: { email } })
  const verify = (body: object, headers = {}) => world.call(null, 'POST /auth/magic-link/verify', { body, headers })
  const statuses = (answers: { status: number }[]) =>
    Object.fromEntries([...Map.groupBy(answers, ({ status }) => status)].map(([status, list]) => [status, list.length]))

  it('of twelve requests at once five are mailed, and an hour later there is room again', async () => {
    const email = newAddress()
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(email)))
    expect(statuses(answers)).toEqual({ 200: linksPerHour, 429: 12 - linksPerHour })
    await mailsTo(world, email, linksPerHour - 1)
    world.clock.advance(3_599_000)
    const early = await send(email)
    expect([early.status, early.headers['retry-after']]).toEqual([429, '1'])
    world.clock.advance(1000)
    expect((await send(email)).status).toBe(200)
  })

  it('of ten uses of a link at once one opens a session', async () => {
    const { token } = await requestLink(world)
    const answers = await Promise.all(Array.from({ length: 10 }, () => verify({ token })))
    expect(statuses(answers)).toEqual({ 200: 1, 400: 9 })
  })

  it('a link and its code are one proof', async () => {
    const { email, code, token } = await requestLink(world)
    const answers = await Promise.all([verify({ email, code }), verify({ token })])
    expect(statuses(answers)).toEqual({ 200: 1, 400: 1 })
  })

  it('two first sign-ins of one address at once make one account', async () => {
    const email = newAddress()
    const [one, two] = [await requestLink(world, email), await requestLink(world, email)]
    const answers = await Promise.all([verify({ token: one.token }), verify({ token: two.token })])
    expect(statuses(answers)).toEqual({ 200: 2 })
    expect(new Set(answers.map(({ data }) => data.user.id)).size).toBe(1)
    expect(answers.map(({ data }) => data.is_new).sort()).toEqual([false, true])
  })

  it('a code allows five tries; an Idempotency-Key, another link or parallel guessing buys no more', async () => {
    const { email, code, token } = await requestLink(world)
    const wrong = otherCode(code)
    for (let tries = 1; tries < codeTries; tries += 1)
      expect((await verify({ email, code: wrong }, { 'idempotency-key': 'same' })).code).toBe('invalid_code')
    const last = await requestLink(world, email)
    expect((await verify({ email, code: last.code === wrong ? 'x' : wrong })).code).toBe('invalid_code')
    expect((await verify({ email, code: code === last.code ? 'x' : code })).code).toBe('invalid_code')
    expect((await verify({ email, code: last.code })).status).toBe(200)
    expect((await verify({ token })).status).toBe(200)

    const target = await requestLink(world)
    const guesses = await Promise.all(
      Array.from({ length: 30 }, () => verify({ email: target.email, code: otherCode(target.code) })),
    )
    expect(statuses(guesses)).toEqual({ 400: 30 })
    expect((await verify({ email: target.email, code: target.code })).status).toBe(400)
  })

  it('the fifth try may be the right one', async () => {
    const { email, code } = await requestLink(world)
    for (let tries = 1; tries < codeTries; tries += 1) await verify({ email, code: otherCode(code) })
    expect((await verify({ email, code })).status).toBe(200)
  })

  it('an older code works beside a newer one', async () => {
    const email = newAddress()
    const older = await requestLink(world, email)
    await requestLink(world, email)
    expect((await verify({ email, code: older.code })).status).toBe(200)
  })

  it('a code guessed for an address nobody asked for opens nothing', async () => {
    const answer = await verify({ email: world.people.owner.email, code: '123456' })
    expect([answer.status, answer.code, cookiesOf(answer)]).toEqual([400, 'invalid_code', {}])
  })

  it('the operator’s link works once, has no code and is not counted among the mails', async () => {
    const email = newAddress()
    const links = await Promise.all(Array.from({ length: 8 }, () => issueSignInLink(world.ctx(), email)))
    expect(links[0]).toMatch(/^http:\/\/127\.0\.0\.1:7700\/auth\/magic-link\/verify\?token=[\w-]{43}$/)
    expect((await send(email)).status).toBe(200)
    const token = new URL(links[0] ?? '').searchParams.get('token')
    expect((await verify({ token })).data.user.email).toBe(email)
    expect((await verify({ token })).status).toBe(400)
  })

  it('keeps neither the token nor the code in the clear', async () => {
    const { token, code } = await requestLink(world)
    const links = await world.open.platform.db.selectFrom('magic_links').selectAll().execute()
    const text = links.map((row) => Object.values(row).map(String).join(' ')).join('\n')
    expect(text).not.toContain(token)
    expect(links.some(({ code_sealed }) => code_sealed.includes(code))).toBe(false)
  })
})

describe('the mail', () => {
  it('waits, sealed, until the server runs its jobs', async () => {
    const world = await createWorld()
    try {
      await world.call(null, 'POST /auth/magic-link/send', { body: { email: 'waiting@mill.example' } })
      const { rows } = await sql<{ payload: string }>`
        select payload::text from graphile_worker._private_jobs`.execute(world.open.platform.db)
      expect(rows).toHaveLength(1)
      expect(rows[0]?.payload).not.toMatch(/waiting|token|http/)
      expect(world.open.platform.mailer.printed()).toEqual([])
    } finally {
      await world.close()
    }
  })
})

describe('the rules for new addresses', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld({ settings: { ENFORCE_PLUS_ALIAS: 'true' } })
    const { db } = world.open.platform
    // Accounts from before the rules.
    for (const [name, email] of [
      ['owner', 'old+tag@mill.example'],
      ['admin', 'old@mailinator.com'],
    ] as const)
      await db.updateTable('users').set({ email }).where('id', '=', world.people[name].userId).execute()
  })
  afterAll(() => world?.close())

  it.each([
    ['new+tag@mill.example', 400, 'invalid_email'],
    ['new+tag@gmail.com', 200, undefined],
    ['old+tag@mill.example', 200, undefined],
    ['OLD+Tag@mill.example', 200, undefined],
    ['new@mailinator.com', 400, 'disposable_email'],
    ['old@mailinator.com', 200, undefined],
  ])('%s', async (email, status, code) => {
    const answer = await world.call(null, 'POST /auth/magic-link/send', { body: { email } })
    expect([answer.status, answer.code]).toEqual([status, code])
  })
})
