// Guarantees: the files of an output keep their name and field, and only stored files are shown.
import { describe, expect, it } from 'vitest'
import { mediaIn } from './output-kinds.ts'

describe('files of an output', () => {
  it('have the name and the field of the output', () => {
    const output = {
      picture: { uri: '/media/a1/blob', filename: 'mill wheel.png', size: 3 },
      pages: ['/media/b2/one.pdf', '/media/c3/notes%20two'],
    }
    expect(mediaIn(output)).toEqual([
      { kind: 'image', uri: '/media/a1/blob', name: 'mill wheel.png', field: 'picture' },
      { kind: 'pdf', uri: '/media/b2/one.pdf', name: 'one.pdf', field: 'pages.0' },
      { kind: 'file', uri: '/media/c3/notes%20two', name: 'notes two', field: 'pages.1' },
    ])
  })

  it('that are the whole output have no field', () => {
    expect(mediaIn('/media/d4/song.mp3')).toEqual([
      { kind: 'audio', uri: '/media/d4/song.mp3', name: 'song.mp3', field: '' },
    ])
  })

  it('of other servers are not loaded', () => {
    expect(mediaIn({ picture: 'https://elsewhere.example/a.png' })).toEqual([])
  })
})
