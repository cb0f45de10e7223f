// Skills stored outside the config: at a URL, or in the knowledge base of the workspace.
import type { AgentSkill } from '@millrace/contract/agents'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { isFailure } from '#platform/core/errors.ts'
import { clippedBytes } from './http-request.ts'
import type { ToolOutcome } from './kinds.ts'
import { operate } from './operation-tools.ts'

const maxBytes = 256 * 1024

/** A skill in the knowledge base, read with the scopes of the run. */
const ownSkill = async (ctx: Ctx<Member>, id: string, versionId: string | undefined): Promise<string> => {
  const { namespace, name } = await operate(ctx, 'skills.get', { input: { path: { id } } })
  const pinned = versionId ? `${String(name)}@${versionId}` : name
  const { content } = await operate(ctx, 'skills.content', { input: { path: { namespace, name: pinned } } })
  return clippedBytes(String(content ?? ''), maxBytes)
}

export const fetchSkill = async (
  ctx: Ctx<Member>,
  skills: readonly AgentSkill[],
  name: string,
): Promise<ToolOutcome> => {
  const skill = skills.find((one) => one.name === name)
  try {
    if (skill?.skill_id) return { status: 'completed', result: await ownSkill(ctx, skill.skill_id, skill.version_id) }
    if (!skill?.url) return { status: 'failed', result: `The skill ${name} cannot be read` }
    const response = await ctx.outbound.fetch(skill.url, { timeoutMs: 30_000, maxBytes: 1024 * 1024 })
    const text = await response.text()
    if (!response.ok) return { status: 'failed', result: `The skill’s URL answered with status ${response.status}` }
    return { status: 'completed', result: clippedBytes(text, maxBytes) }
  } catch (error) {
    if (isFailure(error)) return { status: 'failed', result: error.message }
    throw error
  }
}
