// Guards: a service is marked by its icon only where nobody else is asked for it, otherwise by its initials, in a colour
// that does not change.
import { describe, expect, it } from 'vitest'
import { hueOf, iconAtHand, initialsOf } from './monogram.ts'

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

  it.each([
    ['none', undefined, null],
    ['an empty address', '', null],
    ['one from elsewhere', 'https://crm.example/i.png', null],
    ['a script', 'javascript:alert(1)', null],
    ['a page in the address', 'data:text/html,hello', null],
    ['one of this server', 'https://mill.example/files/i.png', 'https://mill.example/files/i.png'],
    ['a path of this server', '/favicon.svg', 'https://mill.example/favicon.svg'],
    ['a picture in the address', 'data:image/png;base64,AA', 'data:image/png;base64,AA'],
  ])('with %s for an icon', (_what, address, shown) => {
    expect(iconAtHand(address, 'https://mill.example')).toBe(shown)
  })

  it('has one hue per service, and not the same for all', () => {
    const slugs = ['airtable', 'asana', 'box', 'discord', 'dropbox', 'figma', 'github', 'gitlab', 'slack', 'zoom']
    const found = slugs.map(hueOf)
    expect(found).toEqual(slugs.map(hueOf))
    expect(found.every((hue) => hue >= 0 && hue < 360)).toBe(true)
    expect(new Set(found).size).toBeGreaterThan(5)
  })
})
