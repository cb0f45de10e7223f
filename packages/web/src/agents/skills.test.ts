// Guarantees: skills survive the round trip through the editor, each with one source.
import { describe, expect, it } from 'vitest'
import { skillOf, skillRowOf } from './skills.ts'

describe('a skill of an agent', () => {
  it.each([
    { name: 'a', description: 'when', skill_id: 's1', version_id: 'v1' },
    { name: 'b', url: 'https://mill.example/skill.md' },
    { name: 'c', content: '# Dressing', preload: true },
    { name: 'd', url: '' },
  ])('survives the round trip: $name', (skill) => {
    expect(skillOf(skillRowOf(skill))).toEqual(skill)
  })

  it('drops the fields of the previous source', () => {
    const row = skillRowOf({ name: 'c', content: '# Dressing', preload: true })
    expect(skillOf({ ...row, source: 'url', value: '' })).toEqual({ name: 'c', url: '' })
  })

  it('uses the source that has a value', () => {
    expect(skillRowOf({ name: 'a', skill_id: '', content: '# Dressing' })).toMatchObject({ source: 'content' })
  })
})
