// Guards: what the server tells a site of its aliases is read back as refs and where they lead.
import { expect, it } from 'vitest'
import { aliasesIn, refIn } from './aliases.ts'

it('reads apps, functions of them, and pages', () => {
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
])('takes %s as a ref of its own', (text, expected) => {
  expect(refIn(text)).toEqual(expected)
})
