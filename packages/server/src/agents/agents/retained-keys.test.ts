// Guarantees: editors of an agent cannot read a key that was written into a tool, and cannot redirect it. Sending the
// mask back retains the key only for its original host and workspace.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const key = 'sk-raw-key-123456'
const mask = '****3456'
const http = (url: string, secret = mask) => ({ url, auth: { type: 'bearer', secret } })

let count = 0
const givenAgent = async (tool: object) => {
  count += 1
  const body = { name: `kept-${count}`, version: { tools: [{ name: 'get', ...tool }] } }
  const made = await world.call('owner', 'POST /agents', { body })
  expect(made.status, made.text).toBe(200)
  const shown = await world.call('owner', `POST /agents/${made.data.id}/visibility`, { body: { visibility: 'team' } })
  expect(shown.status, shown.text).toBe(200)
  return made.data.id as string
}

const edit = (id: string, tool: object) =>
  world.call('member', `POST /agents/${id}`, { body: { version: { tools: [{ name: 'get', ...tool }] } } })

const kept = async (versionId: string) =>
  (await world.open.platform.db.selectFrom('agent_version_secrets').select('version_id').execute()).some(
    (row) => row.version_id === versionId,
  )

it.each([
  ['another host', { type: 'http', http: http('https://evil.example/v1') }],
  ['another port', { type: 'http', http: http('https://x.example:8443/v1') }],
  ['no encryption', { type: 'http', http: http('http://x.example/v1') }],
  ['another kind of tool', { type: 'call', call: http('https://evil.example') }],
  ['a webhook', { type: 'hook', hook: { url: 'https://evil.example', secret: mask } }],
])('a colleague cannot send it to %s', async (_claim, tool) => {
  const id = await givenAgent({ type: 'http', http: http('https://x.example/v1', key) })
  const answer = await edit(id, tool)
  expect(answer, answer.text).toMatchObject({ status: 400, code: 'validation_error' })
})

it('settings of another tool type cannot redirect it', async () => {
  const id = await givenAgent({ type: 'hook', hook: { url: 'https://x.example', secret: key } })
  const hook = { url: 'https://x.example', secret: mask }
  const answer = await edit(id, { type: 'http', hook, http: http('https://evil.example') })
  expect(answer.status, answer.text).toBe(400)
})

it('another path of the same host, or a new key for another host, is accepted', async () => {
  const id = await givenAgent({ type: 'http', http: http('https://x.example/v1', key) })
  const moved = await edit(id, { type: 'http', http: http('https://x.example/v2') })
  expect(moved.status, moved.text).toBe(200)
  expect(await kept(moved.data.version_id)).toBe(true)
  const anew = await edit(id, { type: 'http', http: http('https://y.example', 'sk-another-key-654321') })
  expect(anew.data.version.tools[0].http.auth.secret).toBe('****4321')
})
