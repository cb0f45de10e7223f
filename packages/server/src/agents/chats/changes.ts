// Changes to a chat other than sending messages.
import type { Rule, RuleInput } from '@millrace/contract/agents'
import type { Chat, ChatMessage, ChatSettings, ChatSettingsReply, UpdateChat } from '@millrace/contract/chats'
import { shortId } from '@millrace/contract/ids'
import { addRule, assertMayApprove, listRules, type RuleOwner, removeRule } from '#accounts/approvals/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { wireTime } from '#platform/core/times.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { assertMayWiden } from '#platform/tenancy/private-access.ts'
import { isProjectFor } from '#platform/tenancy/project-refs.ts'
import { mayRead, mayWrite, narrows } from '#platform/tenancy/visibility.ts'
import { assertChatReadable, assertChatWritable, assertMayAct } from './access.ts'
import { findAddressee } from './addressee.ts'
import { contextFor } from './context.ts'
import { agentDataOf, messageDto } from './dto.ts'
import { lockBelow, narrowBelow } from './narrowing.ts'
import { changedChat } from './reads.ts'
import { drive } from './runs/drive.ts'
import { saveScene } from './runs/save-scene.ts'
import { changeChat, changeMessage, openScene, putMessage, type Scene } from './runs/scene.ts'
import * as store from './store.ts'

type Ctxm = Ctx<Member>

const sceneFor = async (
  ctx: Ctxm,
  id: string,
  assert: (chat: store.ChatRow | undefined) => unknown,
  prepare?: (chat: store.ChatRow) => Promise<void>,
): Promise<Scene> => {
  const found = await store.findChat(ctx.db, id)
  await assert(found)
  if (found) await prepare?.(found)
  const scene = found && (await openScene(ctx, found.id))
  if (!scene) throw fail('not_found', 'Chat not found')
  await assert(scene.chat)
  return scene
}

/** `visibility`: the new visibility, if the change sets one; it may apply to what belongs to the chat. */
const writableScene = async (ctx: Ctxm, id: string, visibility?: string): Promise<Scene> => {
  const assertKnown = (chat: store.ChatRow | undefined): void => {
    // Checked before locking, so that unauthorized callers neither wait for a chat nor block it.
    if (!chat || mayRead(ctx.actor, chat) === 'no') throw fail('not_found', 'Chat not found')
  }
  const scene = await sceneFor(ctx, id, assertKnown, async (chat) => {
    const isNarrowed = visibility !== undefined && narrows(chat.visibility, visibility)
    if (isNarrowed && mayWrite(ctx.actor, chat) !== 'no') await lockBelow(ctx, chat.id)
  })
  await assertChatWritable(ctx, scene.chat)
  return scene
}

const answered = async (ctx: Ctxm, scene: Scene): Promise<Chat> => {
  await saveScene(ctx, scene)
  return changedChat(ctx, scene.chat)
}

const audit = (ctx: Ctxm, action: string, chat: store.ChatRow, meta: Record<string, unknown> = {}) =>
  recordAudit(ctx, action, { resourceType: 'chat', resourceId: chat.id, teamId: chat.team_id, meta })

const setVisibility = async (ctx: Ctxm, scene: Scene, visibility: string): Promise<void> => {
  const { chat } = scene
  if (chat.visibility === visibility) return
  assertMayWiden(ctx, chat, visibility)
  await audit(ctx, 'chat.visibility_changed', chat, { from: chat.visibility, to: visibility })
  if (narrows(chat.visibility, visibility)) await narrowBelow(ctx, chat, visibility)
  changeChat(scene, { visibility })
}

export const update = (ctx: Ctxm, id: string, body: UpdateChat): Promise<Chat> =>
  ctx.tx(async (ctx) => {
    const scene = await writableScene(ctx, id, body.visibility)
    const changed = {
      ...(body.name !== undefined && { name: body.name, is_named: body.name !== '' }),
      ...(body.description !== undefined && { description: body.description }),
      ...(body.project_id !== undefined && { project_id: body.project_id || null }),
    }
    if (Object.keys(changed).length === 0 && body.visibility === undefined)
      throw fail('invalid_request', 'The body contains no field that can be changed')
    if (body.visibility !== undefined) await setVisibility(ctx, scene, body.visibility)
    const member = { teamId: scene.chat.team_id, userId: ctx.actor.userId }
    if (body.project_id && !(await isProjectFor(ctx.db, body.project_id, member)))
      throw fail('validation_error', 'project_id: Project not found')
    changeChat(scene, changed)
    return answered(ctx, scene)
  })

/** A chat that a concurrent call deleted is reported as missing. */
const asNotFound = (error: unknown): never => {
  throw isFailure(error, 'chat_archived') ? fail('not_found', 'Chat not found') : error
}

export const remove = (ctx: Ctxm, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const found = await store.findChat(ctx.db, id)
    if (!found || found.deleted_at !== null) throw fail('not_found', 'Chat not found')
    const scene = await writableScene(ctx, found.id, 'team').catch(asNotFound)
    if (scene.run) await drive(ctx, scene, [{ type: 'stopped' }])
    // Restrict what belongs to the chat to the workspace.
    if (narrows(scene.chat.visibility, 'team')) await narrowBelow(ctx, scene.chat, 'team')
    changeChat(scene, { deleted_at: wireTime(ctx.now()) })
    await saveScene(ctx, scene)
    await audit(ctx, 'chat.deleted', scene.chat)
    return { success: true }
  })

/** Ends the run. Queued messages start the next one. */
export const stop = (ctx: Ctxm, id: string): Promise<Chat> =>
  ctx.tx(async (ctx) => {
    const scene = await writableScene(ctx, id)
    if (scene.run) await drive(ctx, scene, [{ type: 'stopped' }], { continues: true })
    return answered(ctx, scene)
  })

export const cancelMessage = (ctx: Ctxm, id: string): Promise<ChatMessage> =>
  ctx.tx(async (ctx) => {
    const found = await store.findMessage(ctx.db, id)
    if (!found) throw fail('not_found', 'Message not found')
    const scene = await sceneFor(ctx, found.chat_id, (chat) => assertMayAct(ctx, chat, 'message'))
    const message = await store.findMessage(ctx.db, found.id)
    if (message?.status !== 'queued') throw fail('message_not_queued', 'The message is no longer queued')
    putMessage(scene, message)
    changeMessage(scene, message.id, { status: 'cancelled' })
    await saveScene(ctx, scene)
    return messageDto(message, [], scene.chat)
  })

export const setAgent = (ctx: Ctxm, id: string, agent: string): Promise<Chat> =>
  ctx.tx(async (ctx) => {
    const scene = await writableScene(ctx, id)
    if (scene.chat.remote_id !== null) throw fail('invalid_state', 'A coding agent on a machine runs this chat')
    if (scene.run) throw fail('invalid_state', 'The agent of a chat can only change while no run is active')
    const { agentId, version } = await findAddressee(ctx, agent)
    const context = contextFor(version.config.context, scene.chat.context as Record<string, string>)
    scene.version = version
    changeChat(scene, { agent_id: agentId, agent_version_id: version.id, context })
    return answered(ctx, scene)
  })

/**
 * Allowing tools to run without approval answers questions in advance, so the administrators' bypass does not apply to
 * a private chat.
 */
const assertMayAutoApprove = (ctx: Ctxm, { chat }: Scene): void => {
  if (mayWrite(ctx.actor, chat) !== 'yes')
    throw fail('forbidden', 'Only members who may answer in the chat can allow tools without approval')
}

export const settings = (ctx: Ctxm, id: string, body: ChatSettings): Promise<ChatSettingsReply> =>
  ctx.tx(async (ctx) => {
    const scene = await writableScene(ctx, id, body.visibility)
    const before = agentDataOf(scene.chat)
    const {
      allow_all_tools = before.allow_all_tools,
      disable_hooks = before.disable_hooks,
      memory = before.memory,
    } = body
    const widens = (allow_all_tools && !before.allow_all_tools) || (disable_hooks && !before.disable_hooks)
    if (body.allow_all_tools === true || body.disable_hooks === true) assertMayApprove(ctx)
    if (widens) assertMayAutoApprove(ctx, scene)
    if (JSON.stringify(memory).length > 256 * 1024) throw fail('validation_error', 'memory is larger than 256 KiB')
    if (body.visibility !== undefined) await setVisibility(ctx, scene, body.visibility)
    if (widens) await audit(ctx, 'chat.permissions_widened', scene.chat, { allow_all_tools, disable_hooks })
    changeChat(scene, {
      ...(body.name !== undefined && { name: body.name, is_named: body.name !== '' }),
      agent_data: { ...before, allow_all_tools, disable_hooks, memory },
    })
    await saveScene(ctx, scene)
    const { chat } = scene
    const visibility = chat.visibility as ChatSettingsReply['visibility']
    return { chat_id: chat.id, name: chat.name, visibility, allow_all_tools, disable_hooks, memory }
  })

const ownerOf = (chat: store.ChatRow): RuleOwner => ({ level: 'chat', id: chat.id, teamId: chat.team_id })

/** Updates the tools that the console shows as always allowed: those with a rule for the whole tool. */
export const refreshAllowed = async (ctx: Ctxm, scene: Scene): Promise<void> => {
  const rules = await listRules(ctx, ownerOf(scene.chat))
  const names = rules
    .filter(
      ({ effect, kind, specifier }) => effect === 'allow' && kind === 'Tool' && (specifier === '' || specifier === '*'),
    )
    .map(({ selector }) => selector)
  changeChat(scene, { agent_data: { ...agentDataOf(scene.chat), always_allowed_tools: [...new Set(names)] } })
}

export const rules = async (ctx: Ctxm, id: string): Promise<Rule[]> => {
  const chat = await assertChatReadable(ctx, await store.findChat(ctx.db, id))
  if (chat.team_id !== ctx.actor.teamId) throw fail('not_found', 'Chat not found')
  return listRules(ctx, ownerOf(chat))
}

const changeRules = <T>(
  ctx: Ctxm,
  id: string,
  widens: (rules: readonly Rule[]) => boolean,
  change: (ctx: Ctxm, owner: RuleOwner) => Promise<T>,
): Promise<T> =>
  ctx.tx(async (ctx) => {
    const scene = await writableScene(ctx, id)
    if (widens(await listRules(ctx, ownerOf(scene.chat)))) assertMayAutoApprove(ctx, scene)
    const result = await change(ctx, ownerOf(scene.chat))
    await refreshAllowed(ctx, scene)
    await saveScene(ctx, scene)
    return result
  })

export const createRule = (ctx: Ctxm, id: string, input: RuleInput): Promise<Rule> =>
  changeRules(
    ctx,
    id,
    () => input.effect === 'allow',
    (ctx, owner) => addRule(ctx, owner, input),
  )

export const deleteRule = (ctx: Ctxm, id: string, ruleId: string): Promise<{ success: boolean }> =>
  changeRules(
    ctx,
    id,
    (rules) => rules.some((rule) => rule.effect !== 'allow' && [rule.id, shortId(rule.id)].includes(ruleId)),
    (ctx, owner) => removeRule(ctx, owner, ruleId),
  )
