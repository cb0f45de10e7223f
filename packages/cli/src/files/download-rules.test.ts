// Guarantees [files 3]: only https (http on loopback or for the API), no relative paths or other schemes, five
// redirects, credentials only for the origin of the API and never again after a redirect to another origin.
import { describe, expect, it, test } from 'vitest'
import { allowedUrl, firstHop, type Hop, maxRedirects, nextHop } from './download-rules.ts'

const api = 'http://mill.lan:7700'
const credentials = { authorization: 'Bearer t', 'x-team-id': '1', cookie: 'a=b', accept: '*/*' }
const bare = { accept: '*/*' }

describe('addresses', () => {
  test.each([
    'https://files.example/a.png',
    'http://localhost:9000/a',
    'http://127.0.0.1/a',
    'http://127.8.9.1/a',
    'http://[::1]:80/a',
    'http://mill.lan:7700/media/x',
  ])('%s is fetched', (url) => expect(allowedUrl(url, api).href).toBe(new URL(url).href))
  test.each([
    '/media/x',
    'media/x.png',
    '//files.example/x',
    '',
    'file:///etc/passwd',
    'ftp://files.example/x',
    'data:text/plain,hi',
    'javascript:1',
    'http://files.example/a',
    'http://mill.lan/a',
    'http://mill.lan:7701/a',
    'http://localhost.evil.example/a',
    'http://127.0.0.1.evil.example/a',
    'http://10.0.0.1/a',
  ])('%j is refused', (url) => expect(() => allowedUrl(url, api)).toThrow())
})

describe('credentials', () => {
  it('go to the API', () => expect(firstHop(`${api}/media/x`, api, credentials).headers).toEqual(credentials))
  test.each(['https://mill.lan:7700/x', 'https://files.example/x', 'http://127.0.0.1/x'])('do not go to %s', (url) =>
    expect(firstHop(url, api, credentials).headers).toEqual(bare),
  )
  it('stay on a redirect within the API', () =>
    expect(nextHop(firstHop(`${api}/a`, api, credentials), '/b', api)).toMatchObject({
      headers: credentials,
      redirects: 1,
    }))
  it('are removed after a redirect to another origin, and are not added again', () => {
    const away = nextHop(firstHop(`${api}/a`, api, credentials), 'https://files.example/b', api)
    expect(away.headers).toEqual(bare)
    expect(nextHop(away, `${api}/c`, api).headers).toEqual(bare)
  })
})

describe('redirects', () => {
  const start = firstHop('https://files.example/0', api, {})
  it('are followed five times, not six', () => {
    let hop: Hop = start
    for (let count = 1; count <= maxRedirects; count++) hop = nextHop(hop, `/${count}`, api)
    expect(hop.url.pathname).toBe('/5')
    expect(() => nextHop(hop, '/6', api)).toThrow(/5 redirects/)
  })
  test.each(['http://files.example/x', 'file:///etc/passwd', 'data:,x', 'http://['])('do not lead to %s', (location) =>
    expect(() => nextHop(start, location, api)).toThrow(),
  )
})
