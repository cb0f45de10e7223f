// Guarantees: the console loads a picture only from the media route of this server or from its own address, so looking at
// a page requests no other address, and a malformed address breaks no page.
import { describe, expect, it } from 'vitest'
import { nameInAddress, pictureAddress } from './stored-file.ts'

describe('the address of a picture', () => {
  const own = 'https://mill.example'
  it.each([
    ['a stored file', `${own}/media/abc/picture.png`, `${own}/media/abc/picture.png`],
    ['a path of a stored file', '/media/abc/picture.png', `${own}/media/abc/picture.png`],
    ['a picture in the address', 'data:image/png;base64,AA', 'data:image/png;base64,AA'],
    ['a sign-in link', `${own}/auth/magic-link/verify?token=x`, null],
    ['a sign-in link that names the media route', `${own}/auth/magic-link/verify?token=x&a=/media/abc/a.png`, null],
    ['a path that leaves the media route', `${own}/media/../auth/magic-link/verify?token=x`, null],
    ['an encoded path that leaves it', `${own}/media/%2e%2e/sign-in`, null],
    ['another route below', `${own}/media/abc/d/e.png`, null],
    ['another server', 'https://elsewhere.example/media/abc/picture.png', null],
    ['a page in the address', 'data:text/html,hello', null],
    ['a script', 'javascript:alert(1)', null],
    ['a malformed address', 'https://', null],
    ['no address', undefined, null],
    ['an empty address', '', null],
  ])('%s', (_what, address, shown) => {
    expect(pictureAddress(address, own)).toBe(shown)
  })
})

describe('the name in an address', () => {
  it.each([
    ['/media/abc/a%20b.png?download', 'a b.png'],
    ['/media/abc/100%.png', '100%.png'],
    ['', ''],
  ])('%s', (address, name) => {
    expect(nameInAddress(address)).toBe(name)
  })
})
