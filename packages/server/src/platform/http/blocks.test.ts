// Guarantees: blocked addresses and regions are refused before authentication, with their own bodies and CORS headers;
// health routes stay reachable; a running server applies changes at once.

import { newId } from '@millrace/contract/ids'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { notify } from '../db/notify.ts'
import { blocksChannel } from './block-requests.ts'

let world: World
beforeAll(async () => {
  // The test client connects from loopback, which is the trusted proxy here.
  world = await createWorld({ settings: { TRUST_PROXY: '127.0.0.1' } })
})
afterAll(() => world?.close())

const from = (address: string, more: Record<string, string> = {}) => ({
  headers: { 'x-forwarded-for': address, origin: 'https://a.example', ...more },
})

const block = async (network: string): Promise<void> => {
  const { db } = world.open.platform
  await db.insertInto('ip_blocks').values({ id: newId(), network }).execute()
  await notify(db, blocksChannel, '')
}

it('a blocked address gets 403 with a message as soon as the block is added', async () => {
  expect((await world.call(null, 'GET /scopes', from('203.0.113.9'))).status).toBe(200)
  await block('203.0.113.0/24')
  await expect.poll(async () => (await world.call(null, 'GET /scopes', from('203.0.113.9'))).status).toBe(403)
  const answer = await world.call({ token: 'mill-broken' }, 'GET /teams', from('203.0.113.9'))
  expect(answer.status).toBe(403)
  expect(answer.json.message).toEqual(expect.any(String))
  expect(answer.json.type).toBeUndefined()
  expect(answer.headers['access-control-allow-origin']).toBe('https://a.example')
  expect((await world.call(null, 'GET /healthz', from('203.0.113.9'))).status).toBe(200)
  expect((await world.call(null, 'GET /healthz?probe=1', from('203.0.113.9'))).status).toBe(200)
})

it('a path that cannot be decoded does not bypass a block', async () => {
  const answer = await world.call(null, 'GET /%E0%A4%A', from('198.51.100.7', { 'x-geo-country': 'KP' }))
  expect(answer.status).toBe(451)
})

const regions = [
  { country: 'CU', subdivision: '', status: 451 },
  { country: 'KP', subdivision: '', status: 451 },
  { country: 'UA', subdivision: '43', status: 451 },
  { country: 'UA', subdivision: '30', status: 200 },
  { country: 'DE', subdivision: 'BE', status: 200 },
]
it.each(regions)('region $country $subdivision answers $status', async ({ country, subdivision, status }) => {
  const answer = await world.call(
    null,
    'GET /scopes',
    from('198.51.100.7', { 'x-geo-country': country, 'x-geo-subdivision': subdivision }),
  )
  expect(answer.status).toBe(status)
  if (status === 451) expect(answer.headers['content-type']).toMatch(/^text\/plain/)
})
