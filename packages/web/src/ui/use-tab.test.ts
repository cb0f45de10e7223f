// Guarantees: an address opens the tab that it names; an unknown name opens the first tab.
import { expect, it } from 'vitest'
import { tabIn, tabNamed } from './use-tab.ts'

const tabs = ['Run', 'API', 'Versions'] as const

it.each([
  ['api', 'API'],
  ['Versions', 'Versions'],
  ['unknown', 'Run'],
  [undefined, 'Run'],
])('%s opens %s', (named, tab) => expect(tabIn(tabs, named)).toBe(tab))

it.each(tabs)('the address of %s opens it; the first tab needs no name', (tab) => {
  const named = tabNamed(tabs, tab)
  expect(tabIn(tabs, named.tab)).toBe(tab)
  expect('tab' in named).toBe(tab !== 'Run')
})
