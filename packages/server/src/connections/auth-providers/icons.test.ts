// Guarantees: which icon a card shows: the one that a person set, which nothing replaces; otherwise the company's;
// otherwise the website's, looked up at once for an operator and later for a workspace; none if no server answers.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
const asked: string[] = []
const site = createServer((request, response) => {
  asked.push(request.headers['x-asked-host'] as string)
  response.setHeader('content-type', 'text/html').end('<link rel="icon" href="/logo.png">')
})

beforeAll(async () => {
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
  world = await createWorld({ runJobs: true })
  // The websites of the test are on this machine and are fetched with the guarded client.
  const { outbound } = world.open.platform
  const { fetch } = outbound
  outbound.fetch = async (given, request) => {
    const { hostname, pathname } = new URL(given)
    if (!hostname.endsWith('.site.example')) return fetch(given, request)
    if (hostname.startsWith('down.')) throw new TypeError('no route')
    const local = `http://127.0.0.1:${(site.address() as AddressInfo).port}${pathname}`
    const answer = await fetch(local, { ...request, headers: { 'x-asked-host': hostname } })
    return new Response(await answer.text(), { status: answer.status, headers: answer.headers })
  }
})
afterAll(async () => {
  await world?.close()
  site.closeAllConnections()
  site.close()
})

const specs = [{ kind: 'api_key' }]
let counter = 0

const make = async (as: 'owner' | 'platform', body: object) => {
  const answer = await world.call(as, 'POST /auth-providers', {
    body: {
      slug: `icon-${++counter}`,
      display_name: 'Icon',
      specs,
      ...(as === 'platform' ? { scope: 'platform' } : {}),
      ...body,
    },
  })
  expect(answer.status, answer.text).toBe(200)
  return answer.data as { id: string; slug: string; icon_url: string; website: string }
}
const change = async (as: 'owner' | 'platform', id: string, body: object) => {
  const answer = await world.call(as, `PUT /auth-providers/${id}`, { body })
  expect(answer.status, answer.text).toBe(200)
  return answer.data as { icon_url: string }
}
const company = (slug: string) =>
  world.open.platform.db.selectFrom('companies').selectAll().where('slug', '=', slug).executeTakeFirst()

it('an operator’s row is looked up at once, and its company is remembered', async () => {
  const row = await make('platform', { website: 'a.site.example' })
  const found = await company(row.slug)
  expect(found).toMatchObject({ type: 'oauth', website: 'https://a.site.example', display_name: 'Icon' })
  expect(row.icon_url).toMatch(/\/logo\.png$/)
  expect(found?.icon_url).toBe(row.icon_url)
})

it('a row of a known company borrows its icon without asking anybody', async () => {
  const first = await make('platform', { website: 'b.site.example' })
  const before = asked.length
  expect((await make('owner', { provider: first.slug, website: 'c.site.example' })).icon_url).toBe(first.icon_url)
  expect(asked.length).toBe(before)
})

it('a given icon is kept through all other changes', async () => {
  const before = asked.length
  const row = await make('platform', { website: 'd.site.example', icon_url: 'https://i.example/1.png' })
  expect(row.icon_url).toBe('https://i.example/1.png')
  expect(asked.length).toBe(before)
  expect((await change('platform', row.id, { website: 'e.site.example' })).icon_url).toBe('https://i.example/1.png')
  expect(await company(row.slug)).toBeUndefined()
  // An icon that a person clears is looked up again.
  expect((await change('platform', row.id, { icon_url: '' })).icon_url).toMatch(/\/logo\.png$/)
})

it('another website, with no icon given, is looked up again', async () => {
  const row = await make('platform', { website: 'down.site.example' })
  expect(row.icon_url).toBe('')
  expect((await change('platform', row.id, { website: 'f.site.example' })).icon_url).toMatch(/\/logo\.png$/)
})

it('a team’s row gets its icon a little later, for its card only', async () => {
  const row = await make('owner', { website: 'g.site.example' })
  expect(row.icon_url).toBe('')
  await expect
    .poll(async () => (await world.call('owner', `GET /auth-providers/${row.id}`)).data.icon_url, { timeout: 60_000 })
    .toMatch(/\/logo\.png$/)
  expect(await company(row.slug)).toBeUndefined()
})

it('a website that does not answer leaves it empty', async () => {
  expect((await make('platform', { website: 'down.site.example' })).icon_url).toBe('')
  expect((await make('platform', {})).icon_url).toBe('')
})
