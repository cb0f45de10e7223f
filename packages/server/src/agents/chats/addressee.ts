// Resolves the addressee of a message: an agent, an ad-hoc config, or an app that supports chats.
import type { AgentConfig } from '@millrace/contract/agents'
import type { RunAgent } from '@millrace/contract/chats'
import { resolveForRun } from '#execution/apps/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { adHocVersion, findRunnable, type RunnableAgent, type Version } from '../agents/service.ts'
import type { Driver } from './chat-row.ts'

type Ctxm = Ctx<Member>

/** `driver`: set if a coding agent on a machine runs the agent. */
export type Addressee = { agentId: string | null; agentTeamId: string; version: Version; driver?: Driver }

export const addresseeOf = ({ agent, version }: RunnableAgent): Addressee => ({
  agentId: agent.id,
  agentTeamId: agent.team_id,
  version,
  ...(agent.remote_id !== null &&
    agent.profile_id !== null && {
      driver: { remoteId: agent.remote_id, profileId: agent.profile_id, workDir: '' },
    }),
})

export const assertCanRun = ({ version, driver }: Pick<Addressee, 'version' | 'driver'>): void => {
  if (!driver && !version.config.core_app)
    throw fail('validation_error', { detail: 'The agent has no core_app', meta: { field: 'core_app' } })
}

/** The agent must be named in exactly one way. Undefined if only a chat is named. */
export const namedAgent = async (ctx: Ctxm, body: RunAgent): Promise<Addressee | undefined> => {
  const { agent, agent_id: id, agent_version_id: versionId, agent_config: config, chat_id: chatId } = body
  const ways = [agent, id, config].filter((way) => way !== undefined && way !== '')
  if (ways.length > 1) throw fail('validation_error', 'Set exactly one of agent, agent_id and agent_config')
  if (versionId && !id) throw fail('validation_error', 'agent_version_id needs agent_id')
  if (ways.length === 0 && !chatId) throw fail('validation_error', 'Set an agent or a chat_id')
  // An existing chat retains its agent.
  if (chatId || ways.length === 0) return undefined
  if (config) return adHoc(ctx, body.agent_name || config.name || '', config)
  return addresseeOf(await findRunnable(ctx, agent || id || '', versionId ?? null))
}

const adHoc = async (ctx: Ctxm, name: string, config: AgentConfig): Promise<Addressee> => {
  if (!config.core_app?.ref && !config.core_app?.id)
    throw fail('validation_error', {
      detail: 'agent_config.core_app is required',
      meta: { field: 'agent_config.core_app' },
    })
  return { agentId: null, agentTeamId: ctx.actor.teamId, version: await adHocVersion(ctx, name, config) }
}

/** An agent, or an app that supports chats. */
export const findAddressee = async (ctx: Ctxm, text: string): Promise<Addressee> => {
  const found = await findRunnable(ctx, text).catch((error: unknown) => {
    if (isFailure(error, 'not_found')) return undefined
    throw error
  })
  if (found) return addresseeOf(found)
  const target = await resolveForRun(ctx, { app: text }).catch((error: unknown) => {
    if (isFailure(error)) return undefined
    throw error
  })
  const capabilities = target?.version.metadata.capabilities
  const canChat =
    target?.app.category === 'chat' || (Array.isArray(capabilities) && capabilities.some((one) => one === 'llm'))
  if (!target || !canChat) throw fail('not_found', 'Agent not found')
  const name = target.app.title || target.app.name
  return adHoc(ctx, name, { name, core_app: { ref: text } })
}
