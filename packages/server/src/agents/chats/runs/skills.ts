// The part of the system prompt about the skills of an agent. Pure.
import type { AgentSkill } from '@millrace/contract/agents'
import { clipped } from '../tools/offered.ts'

/** Lists the skills, with the full text of those that are always loaded. */
export const skillsPrompt = (skills: readonly AgentSkill[]): string => {
  if (skills.length === 0) return ''
  const list = skills.map(({ name, description = '' }) => `- ${name}: ${clipped(description)}`).join('\n')
  const loaded = skills
    .filter(({ preload, content }) => preload === true && content !== undefined)
    .map(({ name, content }) => `# Skill ${name}\n\n${content}`)
  return [`Skills that you can read with skill_load before you work on their subject:\n${list}`, ...loaded].join('\n\n')
}
