// Guards: the skills of an agent come back from the editor as they were, each from one place only.
import { describe, expect, it } from 'vitest'
import { skillOf, skillRowOf } from './skills.ts'

describe('a skill of an agent', () => {
  it.each([
    { name: 'a', description: 'when', skill_id: 's1', version_id: 'v1' },
    { name: 'b', url: 'https://mill.example/skill.md' },
    { name: 'c', content: '# Dressing', preload: true },
    { name: 'd', url: '' },
  ])('is the same again: $name', (skill) => {
    expect(skillOf(skillRowOf(skill))).toEqual(skill)
  })

  it('leaves behind what belongs to the place it came from before', () => {
    const row = skillRowOf({ name: 'c', content: '# Dressing', preload: true })
    expect(skillOf({ ...row, source: 'url', value: '' })).toEqual({ name: 'c', url: '' })
  })

  it('comes from the place that says something', () => {
    expect(skillRowOf({ name: 'a', skill_id: '', content: '# Dressing' })).toMatchObject({ source: 'content' })
  })
})
