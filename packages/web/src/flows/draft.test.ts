// Guarantees: a change of another editor is shown in an open field, and never replaces unsaved input.
import { expect, it } from 'vitest'
import { rebased } from './draft.ts'

it('keeps the draft while the stored value is the same', () => {
  const previous = { stored: { a: 1 }, draft: { a: 2 } }
  expect(rebased(previous, { a: 1 })).toBe(previous)
})

it('shows the new stored value when nothing is unsaved', () =>
  expect(rebased({ stored: 'old', draft: 'old' }, 'new')).toEqual({ stored: 'new', draft: 'new' }))

it('keeps unsaved input when another value is stored', () =>
  expect(rebased({ stored: 'old', draft: 'typed' }, 'new')).toEqual({ stored: 'new', draft: 'typed' }))
