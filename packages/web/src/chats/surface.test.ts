// Guards: a surface is read in each of the spellings that models use, and one that makes no sense shows nothing.
import { describe, expect, it } from 'vitest'
import { childrenOf, fieldName, firstValues, optionsOf, readSurface, textOf } from './surface.ts'

describe('a surface', () => {
  it('is read with the kind as a name or as an object', () => {
    const surface = readSurface({
      components: [
        { id: 'root', component: 'Column', children: ['a'] },
        { id: 'a', component: { Text: { text: { literalString: 'Flour' } } } },
        { id: 'broken' },
        'nonsense',
      ],
    })
    expect([...(surface?.components.values() ?? [])].map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      'root Column',
      'a Text',
    ])
    expect(textOf(surface?.components.get('a')?.props.text, {})).toBe('Flour')
  })
  it.each([null, 'text', {}, { components: 'none' }])('is none in %j', (widget) => {
    expect(readSurface(widget)).toBeNull()
  })
  it.each([
    [{ child: 'a' }, ['a']],
    [{ children: ['a', 'b', 3] }, ['a', 'b']],
    [{ children: { explicitList: ['a'] } }, ['a']],
    [{}, []],
  ])('names the children of %j', (props, expected) => {
    expect(childrenOf(props)).toEqual(expected)
  })
  it('takes values from its data', () => {
    const data = { order: { sacks: 3 } }
    expect(textOf({ path: '/order/sacks' }, data)).toBe('3')
    expect(textOf({ path: '/order/none', literalString: 'else' }, data)).toBe('else')
  })
  it('begins its fields with what they say, under the names they have', () => {
    const surface = readSurface({
      dataModel: { order: { bakery: 'Corner' } },
      components: [
        { id: 'root', component: 'Form' },
        { id: 'f1', component: 'TextField', text: { path: '/order/bakery' } },
        { id: 'f2', component: 'CheckBox', name: 'today' },
        { id: 'f3', component: 'Slider', min: 2, max: 9 },
      ],
    })
    expect(surface && firstValues(surface)).toEqual({ bakery: 'Corner', today: false, f3: 2 })
    expect(fieldName({ id: 'f9', kind: 'TextField', props: {} })).toBe('f9')
  })
  it('offers options as words or pairs', () => {
    expect(optionsOf({ options: ['fine', { label: 'Coarse', value: 'c' }] }, {})).toEqual([
      { label: 'fine', value: 'fine' },
      { label: 'Coarse', value: 'c' },
    ])
  })
})
