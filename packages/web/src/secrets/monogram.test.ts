// Guards: a service is marked by its initials, in a colour that does not change.
import { describe, expect, it } from 'vitest'
import { hueOf, initialsOf } from './monogram.ts'

describe('the mark of a service', () => {
  it.each([
    ['GitHub', 'G'],
    ['Google Drive', 'GD'],
    ['monday.com for teams', 'MC'],
    ['Élan', 'É'],
    ['', ''],
  ])('%s is %s', (name, initials) => {
    expect(initialsOf(name)).toBe(initials)
  })

  it('has one hue per service, and not the same for all', () => {
    const slugs = ['airtable', 'asana', 'box', 'discord', 'dropbox', 'figma', 'github', 'gitlab', 'slack', 'zoom']
    const found = slugs.map(hueOf)
    expect(found).toEqual(slugs.map(hueOf))
    expect(found.every((hue) => hue >= 0 && hue < 360)).toBe(true)
    expect(new Set(found).size).toBeGreaterThan(5)
  })
})
