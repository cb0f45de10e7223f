// Guards: an address opens the tab it names, and what it does not know opens the first.
import { expect, it } from 'vitest'
import { tabIn, tabNamed } from './use-tab.ts'

const tabs = ['Run', 'API', 'Versions'] as const

it.each([
  ['api', 'API'],
  ['Versions', 'Versions'],
  ['elsewhere', 'Run'],
  [undefined, 'Run'],
])('%s opens %s', (named, tab) => expect(tabIn(tabs, named)).toBe(tab))

it.each(tabs)('what names %s opens it, and the first needs no name', (tab) => {
  const named = tabNamed(tabs, tab)
  expect(tabIn(tabs, named.tab)).toBe(tab)
  expect('tab' in named).toBe(tab !== 'Run')
})
