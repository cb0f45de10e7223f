// Guarantees: the ref grammar accepts every form of [conventions 3] and nothing else.
import { describe, expect, it } from 'vitest'
import { isSlug, parseRef, type Ref, slugOf } from './refs.ts'

const ref = (fields: Partial<Ref>): Ref => ({
  type: null,
  namespace: 'mill',
  name: 'echo',
  version: null,
  function: null,
  ...fields,
})

describe('parseRef', () => {
  it.each<[string, Ref]>([
    ['mill/echo', ref({})],
    ['echo', ref({ namespace: null })],
    ['echo:count', ref({ namespace: null, function: 'count' })],
    ['echo@abc12345', ref({ namespace: null, version: 'abc12345' })],
    ['mill/echo@abc12345', ref({ version: 'abc12345' })],
    ['mill/echo@latest', ref({})],
    ['mill/echo@latest:count', ref({ function: 'count' })],
    ['mill/echo:count', ref({ function: 'count' })],
    ['mill/echo@abc12345:count', ref({ version: 'abc12345', function: 'count' })],
    ['app/mill/echo', ref({ type: 'app' })],
    ['agent/mill/echo@3', ref({ type: 'agent', version: '3' })],
    ['knowledge/mill/echo', ref({ type: 'knowledge' })],
    ['skill/mill/echo', ref({ type: 'skill' })],
    ['mill/echo:make_image', ref({ function: 'make_image' })],
    ['mill/echo:makeImage', ref({ function: 'makeImage' })],
    ['app/echo', ref({ namespace: 'app' })],
    ['my-team/word-count-2', ref({ namespace: 'my-team', name: 'word-count-2' })],
    [`mill/${'a'.repeat(64)}`, ref({ name: 'a'.repeat(64) })],
  ])('reads %s', (text, expected) => expect(parseRef(text)).toEqual(expected))

  it.each([
    '',
    '/',
    'mill/',
    '/echo',
    'mill//echo',
    'Mill/echo',
    'mill/Echo',
    'mill/echo_1',
    'mill/-echo',
    'mill/echo-',
    'mill/ec--ho',
    'flow/mill/echo',
    'app/mill/echo/more',
    'mill/echo@',
    'mill/echo:',
    'mill/echo@abc:',
    'mill/echo:count@abc12345',
    'mill/echo:_private',
    'mill/echo:1st',
    'mill/echo@a b',
    'mill/echo@a/b',
    'mill/é',
    'mill/echo ',
    `mill/${'a'.repeat(65)}`,
  ])('refuses "%s"', (text) => expect(parseRef(text)).toBeNull())
})

it.each([
  ['Café Münster', 'cafe-munster'],
  ['  Quarterly report (2026)! ', 'quarterly-report-2026'],
  ['ﬁle №5', 'file-no5'],
  ['日本', ''],
  [`${'a'.repeat(63)} b`, 'a'.repeat(63)],
])('the slug of %s is %s', (text, slug) => {
  expect(slugOf(text)).toBe(slug)
  expect(slug === '' || isSlug(slug)).toBe(true)
})
