// Guarantees: a stranger can neither use up the sign-in mails of a person nor send an unlimited number, and every
// refusal says when to retry.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../../testing/world.ts'
import { mailsTo, newAddress, readLink } from '../testing/sign-in.ts'
import { linksPerHour, mailsPerAddress, mailsPerNetwork } from './magic-links.ts'

let world: World
beforeAll(async () => {
  world = await createWorld({ settings: { TRUST_PROXY: '127.0.0.1' }, runJobs: true })
})
afterAll(() => world?.close())

const send = (email: string, from: string) =>
  world.call(null, 'POST /auth/magic-link/send', { body: { email }, headers: { 'x-forwarded-for': from } })

describe('sign-in mails', () => {
  it.each([
    ['an account', () => world.people.owner.email],
    ['an address without one', newAddress],
  ])('a stranger who used up theirs for %s leaves the person theirs', async (_, address) => {
    const email = address()
    for (let sent = 0; sent < linksPerHour; sent += 1) expect((await send(email, '192.0.2.1')).status).toBe(200)
    const refused = await send(email, '192.0.2.1')
    expect([refused.status, refused.code]).toEqual([429, 'rate_limited'])
    expect(refused.headers).toMatchObject({ 'x-ratelimit-remaining': '0', 'retry-after': '3600' })
    expect(Number(refused.headers['x-ratelimit-reset'])).toBe(Math.ceil(world.clock.now().getTime() / 1000) + 3600)
    expect((await send(email, '198.51.100.7')).status).toBe(200)
  })

  it('of one network are counted over all addresses, however they are spread', async () => {
    const answers = []
    for (let count = 0; count < mailsPerNetwork + 10; count += 5)
      answers.push(
        ...(await Promise.all([0, 1, 2, 3, 4].map((last) => send(newAddress(), `2001:db8:1:2::${count + last}`)))),
      )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(mailsPerNetwork)
    expect(answers.filter(({ code }) => code === 'rate_limited')).toHaveLength(10)
  })

  it('from many networks to one address end at one a minute, and the last of them works', async () => {
    const email = newAddress()
    const from = async (...networks: number[]) => {
      for (const network of networks) expect((await send(email, `10.0.${network}.1`)).status).toBe(200)
    }
    const working = async () =>
      (
        await world.open.platform.db
          .selectFrom('magic_links')
          .select('id')
          .where('email', '=', email)
          .where('used_at', 'is', null)
          .execute()
      ).length
    await from(...Array(mailsPerAddress + 5).keys())
    expect(await working()).toBe(mailsPerAddress)
    world.clock.advance(60_000)
    await from(100, 101, 102)
    expect(await working()).toBe(mailsPerAddress + 1)
    const mails = await mailsTo(world, email, mailsPerAddress)
    expect(mails).toHaveLength(mailsPerAddress + 1)
    const { token } = readLink(mails.at(-1) as (typeof mails)[number])
    expect((await world.call(null, 'POST /auth/magic-link/verify', { body: { token } })).status).toBe(200)
    world.clock.advance(3_600_000)
    await from(103, 104)
    expect(await working()).toBe(mailsPerAddress + 2)
  })

  it('that lie in the future, because the clock was put right, count for nothing', async () => {
    const email = newAddress()
    for (let sent = 0; sent < linksPerHour; sent += 1) await send(email, '203.0.113.5')
    world.clock.advance(-7_200_000)
    expect((await send(email, '203.0.113.5')).status).toBe(200)
    world.clock.advance(7_200_000)
  })
})
