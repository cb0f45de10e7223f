// Guarantees: thirteen entries lead to every area, and each page belongs to one entry.
import { expect, it } from 'vitest'
import { allPages, entryAt, groups } from './navigation.ts'
import { strings } from './strings.ts'

const words = strings.navigation

it('has thirteen entries', () => {
  expect(groups.flatMap(({ items }) => items)).toHaveLength(13)
})

it('gives every page its own address and key', () => {
  const pages = allPages(true)
  expect(new Set(pages.map(({ to }) => to)).size).toBe(pages.length)
  expect(new Set(pages.map(({ key }) => key)).size).toBe(pages.length)
})

it('shows staff pages only to staff', () => {
  expect(allPages(false).some(({ to }) => to === '/installation')).toBe(false)
})

it.each([
  ['/', words.home],
  ['/store', words.apps],
  ['/apps/millrace/echo', words.apps],
  ['/vaults', words.connections],
  ['/webhooks', words.connections],
  ['/settings/keys', words.settings],
  ['/runs/0192', words.runs],
  ['/remotes/0192', words.engines],
])('finds the entry of %s', (path, label) => {
  expect(entryAt(path)?.label).toBe(label)
})

it('finds no entry for an unknown page', () => {
  expect(entryAt('/no-such-page')).toBeUndefined()
})
