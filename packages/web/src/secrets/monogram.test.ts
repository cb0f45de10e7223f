// Guarantees: a service shows its icon only if no other host is requested for it, otherwise its initials in a stable
// color.
import { describe, expect, it } from 'vitest'
import { hueOf, initialsOf, localIcon } from './monogram.ts'

describe('the icon of a service', () => {
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
    ['no address', undefined, null],
    ['an empty address', '', null],
    ['one of another host', 'https://crm.example/i.png', null],
    ['a script', 'javascript:alert(1)', null],
    ['a page in the address', 'data:text/html,hello', null],
    ['one of this server', 'https://mill.example/files/i.png', 'https://mill.example/files/i.png'],
    ['a path of this server', '/favicon.svg', 'https://mill.example/favicon.svg'],
    ['a picture in the address', 'data:image/png;base64,AA', 'data:image/png;base64,AA'],
  ])('with the icon: %s', (_what, address, shown) => {
    expect(localIcon(address, 'https://mill.example')).toBe(shown)
  })

  it('has a stable hue per service, and several hues overall', () => {
    const slugs = ['airtable', 'asana', 'box', 'discord', 'dropbox', 'figma', 'github', 'gitlab', 'slack', 'zoom']
    const found = slugs.map(hueOf)
    expect(found).toEqual(slugs.map(hueOf))
    expect(found.every((hue) => hue >= 0 && hue < 360)).toBe(true)
    expect(new Set(found).size).toBeGreaterThan(5)
  })
})
