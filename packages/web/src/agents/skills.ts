// Converts the skills of an agent to rows of a form and back: each skill has one source. Pure.
import type { AgentSkill } from '@millrace/contract/agents'

const sources = ['skill_id', 'url', 'content'] as const
export type Source = (typeof sources)[number]

export type SkillRow = Omit<AgentSkill, Source> & {
  source: Source
  /** The ID, the URL or the instructions. */
  value: string
}

/** The source with a value, else the source that was chosen but is still empty. */
const sourceOf = (skill: AgentSkill): Source =>
  sources.find((name) => skill[name]) ?? sources.find((name) => skill[name] !== undefined) ?? 'skill_id'

export const skillRowOf = (skill: AgentSkill): SkillRow => {
  const source = sourceOf(skill)
  const { skill_id: _id, url: _url, content: _content, ...rest } = skill
  return { ...rest, source, value: skill[source] ?? '' }
}

/** `version_id` is valid for skills by ID only, `preload` for inline instructions only. */
export const skillOf = ({ source, value, version_id, preload, ...rest }: SkillRow): AgentSkill => ({
  ...rest,
  [source]: value,
  ...(source === 'skill_id' && version_id ? { version_id } : {}),
  ...(source === 'content' && preload ? { preload } : {}),
})
