// Skills that lie elsewhere: at an address, or among the workspace's knowledge.
import type { AgentSkill } from '@millrace/contract/agents'
import type { Member } from '../../core/actor.ts'
import type { Ctx } from '../../core/ctx.ts'
import { isFailure } from '../../core/errors.ts'
import { clippedBytes } from './http-request.ts'
import type { ToolOutcome } from './kinds.ts'

const maxBytes = 256 * 1024

export const fetchSkill = async (
  ctx: Ctx<Member>,
  skills: readonly AgentSkill[],
  name: string,
): Promise<ToolOutcome> => {
  const skill = skills.find((one) => one.name === name)
  if (!skill?.url) return { status: 'failed', result: `The skill ${name} cannot be read` }
  try {
    const response = await ctx.outbound.fetch(skill.url, { timeoutMs: 30_000, maxBytes: 1024 * 1024 })
    const text = await response.text()
    if (!response.ok) return { status: 'failed', result: `The skill’s address answered ${response.status}` }
    return { status: 'completed', result: clippedBytes(text, maxBytes) }
  } catch (error) {
    if (isFailure(error)) return { status: 'failed', result: error.message }
    throw error
  }
}
