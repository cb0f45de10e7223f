// Guarantees: an HTTP tool requests exactly the URL that its settings and arguments define.
import { expect, it } from 'vitest'
import { toolRequest } from './http-request.ts'

it.each([
  ['other arguments become the query', 'https://x.y/{{id}}', { id: 'a/b', q: 'c d' }, 'https://x.y/a%2Fb?q=c%20d'],
  ['appended to an existing query', 'https://x.y/?k={{context.who}}', { q: 1 }, 'https://x.y/?k=a%20b&q=1'],
  [
    'an existing query is unchanged',
    'https://x.y/?flag&s=a~b%20c',
    { q: [1] },
    'https://x.y/?flag&s=a~b%20c&q=%5B1%5D',
  ],
  ['with nothing left', 'https://x.y/?k=%20', { q: null }, 'https://x.y/?k=%20'],
  ['names are encoded too', 'https://x.y/#top', { 'a&b': '=' }, 'https://x.y/?a%26b=%3D#top'],
])('GET: %s', (_claim, url, given, asked) => {
  expect(toolRequest({ url, method: 'GET' }, given, { who: 'a b' })).toEqual({
    url: asked,
    method: 'GET',
    headers: {},
    body: null,
  })
})

it.each([
  ['a value', 'https://x.y/users/{{id}}', { id: '..' }],
  ['a value in the middle', 'https://x.y/users/{{id}}/posts', { id: '.' }],
  ['two values together', 'https://x.y/users/{{a}}{{b}}', { a: '.', b: '.' }],
])('%s cannot leave its path segment', (_claim, url, given) => {
  expect(() => toolRequest({ url, method: 'GET' }, given, {})).toThrow('leads to another address')
})

it('dots next to other characters or in the query are ordinary values', () => {
  const request = toolRequest({ url: 'https://x.y/{{id}}?at={{at}}', method: 'GET' }, { id: '..a', at: '..' }, {})
  expect(request.url).toBe('https://x.y/..a?at=..')
})
