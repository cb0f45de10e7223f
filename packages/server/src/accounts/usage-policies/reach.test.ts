// Guarantees: the lists of a policy are parsed as documented and allow exactly what they name.
import { expect, it } from 'vitest'
import { isWithin, type PolicyPatterns, readPatterns, shownPatterns } from './reach.ts'

it.each([
  ['all', null],
  ['none', []],
  ['own', ['own']],
  ['own, tools/*,tools/resize,own', ['own', 'tools/*', 'tools/resize']],
])('%s is read and shown again', (text, patterns) => {
  expect(readPatterns(text)).toEqual({ patterns })
  expect(readPatterns(shownPatterns(patterns))).toEqual({ patterns })
})

it.each([
  ['', ''],
  ['own,', ''],
  ['*', '*'],
  ['tools', 'tools'],
  ['*/resize', '*/resize'],
  ['tools/re*', 'tools/re*'],
  ['all,own', 'all'],
  ['Tools/x', 'Tools/x'],
])('"%s" is refused', (text, wrong) => {
  expect(readPatterns(text)).toEqual({ wrong })
})

const everything: PolicyPatterns = { apps: null, agents: null, mcps: null, knowledge: null, flows: null }

it.each<[string, readonly string[] | null, boolean]>([
  ['no list', null, true],
  ['an empty list', [], false],
  ['its namespace', ['tools/*'], true],
  ['itself', ['tools/resize'], true],
  ['a namesake elsewhere', ['other/resize'], false],
  ['a namespace that begins alike', ['tool/*'], false],
  ['only one’s own', ['own'], false],
])('%s', (_claim, apps, passes) => {
  const target = { kind: 'apps', namespace: 'tools', name: 'resize', isOwn: false } as const
  expect(isWithin({ ...everything, apps }, target)).toBe(passes)
  expect(isWithin({ ...everything, flows: [] }, target)).toBe(true)
})

it('one’s own is within reach of `own`, and of nothing less', () => {
  const target = { kind: 'flows', namespace: 'mill', name: 'grind', isOwn: true } as const
  expect(isWithin({ ...everything, flows: ['own'] }, target)).toBe(true)
  expect(isWithin({ ...everything, flows: ['tools/*'] }, target)).toBe(false)
})
