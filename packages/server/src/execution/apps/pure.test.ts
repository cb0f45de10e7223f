// Guarantees: the accepted names, tags and update keys of an app, as tables.
import { describe, expect, it } from 'vitest'
import { copyName } from '#platform/core/copies.ts'
import { nameProblem, namespaceProblem } from './names.ts'
import { readTags, tagsOfMetadata, tagTitle } from './tags.ts'
import { sortUpdateKeys } from './update-keys.ts'

describe('names', () => {
  it.each(['echo', 'a', '3d', 'word-count', 'veo-3-1', 'version', 'run', 'list', 'a'.repeat(64)])(
    'accepts %s',
    (name) => expect(nameProblem(name)).toBeNull(),
  )
  it.each(['', 'Echo', 'a b', '-a', 'a-', 'a--b', 'a_b', 'a.b', 'a@b', 'a:b', 'é', 'a'.repeat(65)])(
    'refuses the form "%s"',
    (name) => expect(nameProblem(name)).toMatch(/^name must be lower-case/),
  )
  it.each(['versions', 'license', 'status', 'visibility', 'transfer', 'duplicate', 'cost'])('reserves %s', (name) =>
    expect(nameProblem(name)).toMatch(/reserved word/),
  )
  it.each(['run', 'list'])('reserves the namespace %s', (name) => expect(namespaceProblem(name)).toMatch(/reserved/))
  it('accepts other namespaces', () => expect(namespaceProblem('mill')).toBeNull())

  it.each([
    ['echo', 1, 'echo-copy'],
    ['echo', 2, 'echo-copy-2'],
    ['echo-copy', 1, 'echo-copy-copy'],
    ['a'.repeat(64), 1, `${'a'.repeat(59)}-copy`],
    [`${'a'.repeat(58)}-bcdef`, 1, `${'a'.repeat(58)}-copy`],
  ])('copies %s (%i) as %s', (name, copy, expected) => {
    expect(copyName(name, copy)).toBe(expected)
    expect(nameProblem(copyName(name, copy))).toBeNull()
  })
})

describe('tags', () => {
  it.each<[string, string[], string[]]>([
    ['nothing', [], []],
    ['converts to lower case and trims', [' Image ', 'VIDEO'], ['image', 'video']],
    ['removes duplicates', ['a', 'b', 'A', ' b'], ['a', 'b']],
    ['counts after removing duplicates', [...Array(20).fill('a'), 'b'], ['a', 'b']],
    ['ten', [...'abcdefghij'], [...'abcdefghij']],
    ['fifty characters', ['a'.repeat(50)], ['a'.repeat(50)]],
  ])('%s', (_claim, asked, tags) => expect(readTags(asked)).toEqual({ ok: true, tags }))

  it.each<[string, string[]]>([
    ['a space', ['a b']],
    ['an underscore', ['a_b']],
    ['an empty tag', ['']],
    ['blank', ['  ']],
    ['double hyphen', ['a--b']],
    ['a leading hyphen', ['-a']],
    ['fifty-one characters', ['a'.repeat(51)]],
    ['eleven', [...'abcdefghijk']],
    ['letters outside ASCII', ['ä']],
  ])('refuses %s', (_claim, asked) => expect(readTags(asked)).toMatchObject({ ok: false }))

  it('keeps the valid tags of the metadata', () => {
    expect(tagsOfMetadata(['Good', 'b a d', 7, null, 'good', 'fine'])).toEqual({
      tags: ['good', 'fine'],
      skipped: ['b a d'],
    })
    expect(tagsOfMetadata([...'abcdefghijkl']).tags).toHaveLength(10)
    expect(tagsOfMetadata('good')).toEqual({ tags: [], skipped: [] })
    expect(tagsOfMetadata(undefined)).toEqual({ tags: [], skipped: [] })
  })

  it('titles a slug', () => expect(tagTitle('image-editing')).toBe('Image Editing'))
})

describe('update keys', () => {
  it.each([
    [{ title: 'x' }, { editable: ['title'], ignored: [], unknown: [] }],
    [
      { id: 'x', short_id: 'x', user_id: 'x', team_id: 'x', created_at: 'x', deleted_at: null },
      { editable: [], ignored: [], unknown: [] },
    ],
    [
      { version_id: 'x', status: 'x', visibility: 'x' },
      { editable: [], ignored: ['version_id', 'status', 'visibility'], unknown: [] },
    ],
    [
      { title: 'x', status: 'x', id: 'x' },
      { editable: ['title'], ignored: ['status'], unknown: [] },
    ],
    [
      { name: 'x', updated_at: 'x' },
      { editable: [], ignored: [], unknown: ['name', 'updated_at'] },
    ],
    [{ title: null }, { editable: [], ignored: [], unknown: [] }],
    [{}, { editable: [], ignored: [], unknown: [] }],
    [{ tags: [] }, { editable: ['tags'], ignored: [], unknown: [] }],
  ])('sorts %j', (body, expected) => expect(sortUpdateKeys(body)).toEqual(expected))
})
