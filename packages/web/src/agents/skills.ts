// The skills of an agent as rows of a form: each comes from one place. Pure.
import type { AgentSkill } from '@millrace/contract/agents'

export const sources = {
  skill_id: 'a skill that is written down',
  url: 'an address',
  content: 'instructions written here',
} as const
export type Source = keyof typeof sources

export type SkillRow = Omit<AgentSkill, Source> & {
  source: Source
  /** The id, the address or the instructions. */
  value: string
}

const names = Object.keys(sources) as Source[]

/** The one that says something, or the one that was chosen and says nothing yet. */
const sourceOf = (skill: AgentSkill): Source =>
  names.find((name) => skill[name]) ?? names.find((name) => skill[name] !== undefined) ?? 'skill_id'

export const skillRowOf = (skill: AgentSkill): SkillRow => {
  const source = sourceOf(skill)
  const { skill_id: _id, url: _url, content: _content, ...rest } = skill
  return { ...rest, source, value: skill[source] ?? '' }
}

/** A version is one of a written skill, and only a text that is at hand can stand in the prompt. */
export const skillOf = ({ source, value, version_id, preload, ...rest }: SkillRow): AgentSkill => ({
  ...rest,
  [source]: value,
  ...(source === 'skill_id' && version_id ? { version_id } : {}),
  ...(source === 'content' && preload ? { preload } : {}),
})
