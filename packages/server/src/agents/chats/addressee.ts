// Resolves the addressee of a message: an agent, an ad-hoc config, or an app that supports chats.
import type { AgentConfig } from '@millrace/contract/agents'
import type { RunAgent } from '@millrace/contract/chats'
import { isRecord } from '@millrace/contract/json'
import { type RunTarget, resolveForRun } from '#execution/apps/service.ts'
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
  const { agent_id: id, agent_version_id: versionId, agent_config: config, chat_id: chatId } = body
  const agent = body.agent || (id || config ? undefined : body.agent_ref)
  const ways = [agent, id, config].filter((way) => way !== undefined && way !== '')
  if (ways.length > 1) throw fail('validation_error', 'Set exactly one of agent, agent_id and agent_config')
  if (versionId && !id) throw fail('validation_error', 'agent_version_id needs agent_id')
  if (ways.length === 0 && !chatId) throw fail('validation_error', 'Set an agent or a chat_id')
  // An existing chat retains its agent.
  if (chatId || ways.length === 0) return undefined
  if (config) return adHoc(ctx, body.agent_name || config.name || '', withCoreApp(config))
  return addresseeOf(await findRunnable(ctx, agent || id || '', versionId ?? null))
}

type SentConfig = NonNullable<RunAgent['agent_config']>

const withCoreApp = ({ core_app_ref: ref, ...config }: SentConfig): AgentConfig =>
  ref && !config.core_app ? { ...config, core_app: { ref } } : config

const adHoc = async (ctx: Ctxm, name: string, config: AgentConfig): Promise<Addressee> => {
  if (!config.core_app?.ref && !config.core_app?.id)
    throw fail('validation_error', {
      detail: 'agent_config.core_app is required',
      meta: { field: 'agent_config.core_app' },
    })
  return { agentId: null, agentTeamId: ctx.actor.teamId, version: await adHocVersion(ctx, name, config) }
}

const findAgent = async (ctx: Ctxm, text: string): Promise<Addressee | undefined> => {
  const found = await findRunnable(ctx, text).catch((error: unknown) => {
    if (isFailure(error, 'not_found')) return undefined
    throw error
  })
  return found && addresseeOf(found)
}

const findApp = (ctx: Ctxm, text: string): Promise<RunTarget | undefined> =>
  resolveForRun(ctx, { app: text }).catch((error: unknown) => {
    if (isFailure(error)) return undefined
    throw error
  })

const isModelApp = ({ app, version }: RunTarget): boolean => {
  const { capabilities } = version.metadata
  return app.category === 'chat' || (Array.isArray(capabilities) && capabilities.some((one) => one === 'llm'))
}

const nameOf = ({ app }: RunTarget): string => app.title || app.name

/** An agent, or an app that supports chats. */
export const findAddressee = async (ctx: Ctxm, text: string): Promise<Addressee> => {
  const agent = await findAgent(ctx, text)
  if (agent) return agent
  const target = await findApp(ctx, text)
  if (!target || !isModelApp(target)) throw fail('not_found', 'Agent not found')
  return adHoc(ctx, nameOf(target), { name: nameOf(target), core_app: { ref: text } })
}

const hasProperty = (schema: unknown, name: string): boolean =>
  isRecord(schema) && isRecord(schema.properties) && Object.hasOwn(schema.properties, name)

/** The function takes a text and returns a response, as in the contract of model calls. */
const fitsModelCalls = ({ fn }: RunTarget): boolean =>
  hasProperty(fn.input_schema, 'text') && hasProperty(fn.output_schema, 'response')

const noBuiltInTools = { plan: false, memory: false, widget: false, finish: false, skills: false }

type Model = { agent: Addressee } | { app: RunTarget; ref: string; model: string }

/** `ref:model` sets the model of an app that has this setting. */
const resolveModel = async (ctx: Ctxm, text: string): Promise<Model> => {
  const colon = text.indexOf(':')
  const [ref, model] = colon === -1 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  const agent = model === '' ? await findAgent(ctx, ref) : undefined
  if (agent) return { agent }
  const app = await findApp(ctx, ref)
  const hasModel = model === '' || hasProperty(app?.fn.setup_schema, 'model')
  if (!app || !hasModel || !(isModelApp(app) || fitsModelCalls(app))) throw unknownModel(text)
  return { app, ref, model }
}

/** When the version behind a model was created. */
export const modelCreatedAt = async (ctx: Ctxm, text: string): Promise<string> => {
  const found = await resolveModel(ctx, text)
  return 'agent' in found ? found.agent.version.created_at : found.app.version.created_at
}

/**
 * An agent, or an app that answers as a model. An app runs without built-in tools: the caller decides what the model may
 * do.
 */
export const findModel = async (ctx: Ctxm, text: string): Promise<Addressee> => {
  const found = await resolveModel(ctx, text)
  if ('agent' in found) return found.agent
  const { ref, model } = found
  return adHoc(ctx, text.slice(0, maxNameLength), {
    core_app: { ref, ...(model !== '' && { setup: { model } }) },
    internal_tools: noBuiltInTools,
  })
}

const maxNameLength = 200

const unknownModel = (text: string) =>
  fail('not_found', {
    detail: `The model \`${text}\` does not exist or you do not have access to it`,
    meta: { field: 'model' },
  })
