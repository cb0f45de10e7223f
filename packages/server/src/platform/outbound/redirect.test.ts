// Guarantees: a redirect keeps method and body as in browsers, and sends no credentials to another origin.
import { describe, expect, it } from 'vitest'
import { type Hop, nextHop, redirectTarget } from './redirect.ts'

const hop = (method: string): Hop => ({
  url: new URL('https://a.example/x'),
  method,
  headers: new Headers({
    authorization: 'Bearer k',
    cookie: 'c=1',
    'x-team-id': 't',
    'x-api-key': 'k',
    'x-anything': 'v',
    accept: 'application/json',
    'content-type': 'application/json',
  }),
  body: '{}',
})

describe('method and body', () => {
  it.each([
    [301, 'POST', 'GET', null],
    [302, 'POST', 'GET', null],
    [303, 'POST', 'GET', null],
    [303, 'PUT', 'GET', null],
    [303, 'HEAD', 'HEAD', '{}'],
    [301, 'PUT', 'PUT', '{}'],
    [302, 'DELETE', 'DELETE', '{}'],
    [307, 'POST', 'POST', '{}'],
    [308, 'PATCH', 'PATCH', '{}'],
  ])('%i turns %s into %s', (status, method, expectedMethod, expectedBody) => {
    const next = nextHop(hop(method), status, new URL('https://a.example/y'))
    expect([next.method, next.body]).toEqual([expectedMethod, expectedBody])
    expect(next.headers.has('content-type')).toBe(expectedBody !== null)
  })
})

describe('headers', () => {
  it.each([
    ['https://a.example/y', true],
    ['https://a.example:443/y', true],
    ['https://b.example/y', false],
    ['https://sub.a.example/y', false],
    ['http://a.example/y', false],
    ['https://a.example:8443/y', false],
  ])('to %s: credentials travel: %s', (url, travel) => {
    const { headers } = nextHop(hop('GET'), 307, new URL(url))
    const secret = ['authorization', 'cookie', 'x-team-id', 'x-api-key', 'x-anything'].filter((name) =>
      headers.has(name),
    )
    expect(secret).toHaveLength(travel ? 5 : 0)
    expect(headers.get('accept')).toBe('application/json')
  })
})

describe('target', () => {
  const from = new URL('https://a.example/dir/x')
  it.each<[number, string | undefined, string | undefined]>([
    [302, 'y', 'https://a.example/dir/y'],
    [302, '//b.example/', 'https://b.example/'],
    [307, 'file:///etc/passwd', 'file:///etc/passwd'],
    [302, 'http://[', 'http://['],
    [302, undefined, undefined],
    [200, 'y', undefined],
    [304, 'y', undefined],
    [300, 'y', undefined],
  ])('%i with %s', (status, location, expected) => {
    expect(redirectTarget(status, new Headers(location === undefined ? {} : { location }), from)).toBe(expected)
  })
})
