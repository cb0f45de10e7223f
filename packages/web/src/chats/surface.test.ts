// Guarantees: a surface is parsed in every spelling that models use, and an invalid one shows nothing.
import { describe, expect, it } from 'vitest'
import {
  artifactRefOf,
  childrenOf,
  fieldName,
  initialValues,
  optionsOf,
  readSurface,
  tabsOf,
  textOf,
} from './surface.ts'

describe('a surface', () => {
  it('accepts the kind as a name or as an object', () => {
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
  it.each([null, 'text', {}, { components: 'none' }])('is invalid: %j', (widget) => {
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
  it('reads values from its data', () => {
    const data = { order: { sacks: 3 } }
    expect(textOf({ path: '/order/sacks' }, data)).toBe('3')
    expect(textOf({ path: '/order/none', literalString: 'else' }, data)).toBe('else')
  })
  it('returns initial values by field name', () => {
    const surface = readSurface({
      dataModel: { order: { bakery: 'Corner' } },
      components: [
        { id: 'root', component: 'Form' },
        { id: 'f1', component: 'TextField', text: { path: '/order/bakery' } },
        { id: 'f2', component: 'CheckBox', name: 'today' },
        { id: 'f3', component: 'Slider', min: 2, max: 9 },
        { id: 'f4', component: 'ChoicePicker', variant: 'multipleSelection' },
      ],
    })
    expect(surface && initialValues(surface)).toEqual({ bakery: 'Corner', today: false, f3: 2, f4: [] })
    expect(fieldName({ id: 'f9', kind: 'TextField', props: {} })).toBe('f9')
  })
  it('accepts options as texts or pairs', () => {
    expect(optionsOf({ options: ['fine', { label: 'Coarse', value: 'c' }] }, {})).toEqual([
      { label: 'fine', value: 'fine' },
      { label: 'Coarse', value: 'c' },
    ])
  })
  it('accepts both spellings of tabs', () => {
    const expected = [{ title: 'Rye', child: 'a' }]
    expect(tabsOf({ tabs: [{ label: 'Rye', child: 'a' }, 'nonsense'] }, {})).toEqual(expected)
    expect(tabsOf({ tabItems: [{ title: { literalString: 'Rye' }, child: 'a' }] }, {})).toEqual(expected)
    expect(tabsOf({ tabs: 'none' }, {})).toEqual([])
    expect(tabsOf({ tabs: [{ title: 'Rye' }, { title: 'Rye' }, {}] }, {}).map(({ title }) => title)).toEqual([
      'Rye',
      'Rye 2',
      '3',
    ])
  })
  it.each([
    [{ artifactId: '4s3c1zk8m9q0' }, { id: '4s3c1zk8m9q0' }],
    [{ url: 'https://mill.example/artifacts/4s3c1zk8m9q0/render?x=1' }, { id: '4s3c1zk8m9q0' }],
    [{ ref: 'mill/yield@2' }, { ref: { namespace: 'mill', name: 'yield@2' } }],
    [{ url: 'https://elsewhere.example/a/b/c' }, {}],
  ])('means an artifact by %j', (props, expected) => {
    const { text: _text, ...found } = artifactRefOf(props, {}) ?? { text: '' }
    expect(found).toEqual(expected)
  })
  it('has no artifact without a reference', () => expect(artifactRefOf({}, {})).toBeNull())
})
