// Guarantees: the aliases that the server reports are parsed to refs and their targets.
import { expect, it } from 'vitest'
import { aliasesIn, refIn } from './aliases.ts'

it('reads apps, functions and pages', () => {
  const redirects = {
    '/apps/old/sack': '/apps/mill/sack',
    '/apps/old/sift': '/apps/mill/sack?function=sift%2B',
    '/apps/old/help': 'https://mill.example/help',
    '/somewhere': '/else',
  }
  expect(aliasesIn(redirects)).toEqual([
    { namespace: 'old', name: 'sack', target: { kind: 'app', namespace: 'mill', name: 'sack', function: undefined } },
    { namespace: 'old', name: 'sift', target: { kind: 'app', namespace: 'mill', name: 'sack', function: 'sift+' } },
    { namespace: 'old', name: 'help', target: { kind: 'page', url: 'https://mill.example/help' } },
  ])
})

it.each([
  [' old/sack ', { namespace: 'old', name: 'sack' }],
  ['sack', undefined],
  ['old/sack:sift', undefined],
  ['old/sack@v1', undefined],
  ['agent/old/sack', undefined],
  ['Old Sack', undefined],
])('parses %s as a ref with a namespace', (text, expected) => {
  expect(refIn(text)).toEqual(expected)
})
