// Skills with their text in the agent's config. Other skills are fetched by an errand. Pure.
import type { AgentSkill } from '@millrace/contract/agents'

export type LoadedSkill = { status: 'completed' | 'failed'; result: string }

/** Undefined if the text has to be fetched. */
export const readSkill = (
  skills: readonly AgentSkill[],
  operation: 'skill_list' | 'skill_load',
  name: string,
): LoadedSkill | undefined => {
  if (operation === 'skill_list') {
    const list = skills.map((skill) => ({ name: skill.name, description: skill.description ?? '' }))
    return { status: 'completed', result: JSON.stringify(list) }
  }
  const skill = skills.find((one) => one.name === name)
  if (!skill) return { status: 'failed', result: `Skill ${name} not found` }
  return skill.content === undefined ? undefined : { status: 'completed', result: skill.content }
}
