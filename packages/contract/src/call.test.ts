// Guarantees: a call by name becomes the request that its operation expects; a wrong name, input or use of a reply does
// not compile.
import { expect, expectTypeOf, it } from 'vitest'
import type { App } from './apps.ts'
import { type ApiRequest, type Call, createCall, createFollow, dataOf, requestOf } from './call.ts'
import type { Page } from './common.ts'
import type { Task } from './tasks.ts'

const sent: ApiRequest[] = []
const call = createCall(async (request) => {
  sent.push(request)
  return { id: 'answered' }
})

it.each<{ claim: string; request: ApiRequest; expected: Partial<ApiRequest> }>([
  {
    claim: 'a value in the path is encoded',
    request: requestOf('secrets.get', { path: { key: 'a/b c' } }),
    expected: { method: 'GET', path: '/secrets/a%2Fb%20c', encoding: null },
  },
  {
    claim: 'a list is requested with a JSON body',
    request: requestOf('apps.list', { body: { limit: 5 } }),
    expected: { method: 'POST', path: '/apps/list', encoding: 'json', body: { limit: 5 } },
  },
  {
    claim: 'a list that can only be read by GET is requested with a query',
    request: requestOf('tasks.featured', { body: { limit: 5, sort: [{ field: 'order' }] } }),
    expected: {
      method: 'GET',
      path: '/tasks/featured?limit=5&sort=%5B%7B%22field%22%3A%22order%22%7D%5D',
      encoding: null,
    },
  },
  {
    claim: 'a query contains plain values unchanged and others as JSON, without missing ones',
    request: requestOf('events.stream', { query: { a: 1, b: ['x', 'y'], c: undefined } }),
    expected: { path: '/events?a=1&b=%5B%22x%22%2C%22y%22%5D' },
  },
  {
    claim: 'a form is sent as a form, and its reply has no envelope',
    request: requestOf('oauth.revoke', { body: { token: 't' } }),
    expected: { encoding: 'form', bare: true, body: { token: 't' } },
  },
  {
    claim: 'a change sends a body even if it is empty',
    request: requestOf('tasks.cancel', { path: { id: 't' } }, { idempotencyKey: 'k' }),
    expected: { method: 'POST', path: '/tasks/t/cancel', body: {}, idempotencyKey: 'k' },
  },
])('$claim', ({ request, expected }) => {
  expect(request).toMatchObject(expected)
})

it('a missing path parameter is an error, not a request to another route', () => {
  expect(() => requestOf('secrets.get', {})).toThrow('key is missing')
  expect(() => requestOf('secrets.get', { path: { key: '' } })).toThrow('key is missing')
})

it('passes on the request and returns the reply', async () => {
  const task = await call('tasks.get', { path: { id: 't' } })
  expect(task.id).toBe('answered')
  expect(sent.at(-1)).toMatchObject({ method: 'GET', path: '/tasks/t' })
})

it('removes the envelope, if there is one', () => {
  const enveloped = requestOf('tasks.get', { path: { id: 't' } })
  expect(dataOf(enveloped, { data: { id: 't' }, messages: [] })).toEqual({ id: 't' })
  expect(dataOf(enveloped, [])).toEqual([])
  expect(dataOf(requestOf('oauth.metadata'), { data: 'a field of its own' })).toEqual({ data: 'a field of its own' })
})

it('follows a stream', async () => {
  const follow = createFollow(async function* () {
    yield { id: 't', status: 1 }
  })
  const seen: number[] = []
  for await (const update of follow('tasks.stream', { path: { id: 't' } })) seen.push(update.status ?? -1)
  expect(seen).toEqual([1])
})

it('has the types of the server', () => {
  expectTypeOf(call<'tasks.get'>).returns.resolves.toEqualTypeOf<Task>()
  expectTypeOf(call<'apps.list'>).returns.resolves.toEqualTypeOf<Page<Partial<App>>>()
  expectTypeOf<Parameters<Call>[0]>().not.toEqualTypeOf<string>()
  // @ts-expect-error Operation not found.
  const unknown = () => call('tasks.nothing')
  // @ts-expect-error The id is missing.
  const missing = () => call('tasks.get', {})
  // @ts-expect-error A limit is a number.
  const wrong = () => call('apps.list', { body: { limit: 'five' } })
  // @ts-expect-error A stream is followed, not called.
  const stream = () => call('tasks.stream', { path: { id: 't' } })
  expect([unknown, missing, wrong, stream]).toHaveLength(4)
})
