// Queries of chats, messages, runs and interrupts. Read-only.
import type { AgentRun, Chat, ChatMessage, Interrupt } from '@millrace/contract/chats'
import { isRunOver } from '@millrace/contract/chats'
import type { ListRequest, Page } from '@millrace/contract/common'
import { tellLacksWithin } from '#execution/dispatch/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec, nullable } from '#platform/tenancy/list/spec.ts'
import { listedWith, listReach } from '#platform/tenancy/private-access.ts'
import type { ListReach } from '#platform/tenancy/visibility.ts'
import { agentSummaries, loadVersion } from '../agents/service.ts'
import { assertChatReadable } from './access.ts'
import { chatDto, interruptDto, messageDto, runDto } from './dto.ts'
import { findInterrupt, findPendingInterrupts, findPendingOfRun } from './interrupts-store.ts'
import { callsOf } from './scene-store.ts'
import * as store from './store.ts'

export const readableChat = async (ctx: Ctx<Actor>, id: string): Promise<store.ChatRow> =>
  assertChatReadable(ctx, await store.findChat(ctx.db, id))

/**
 * Clients that poll an existing chat wait until they have seen it busy. A run that ends faster than they poll is
 * therefore reported as working for a minimum time.
 */
const shownBusy = (ctx: Ctx<Actor>, chat: store.ChatRow, run: store.RunRow | undefined): store.RunRow | undefined => {
  const floorMs = ctx.settings.CHAT_MIN_BUSY_MS
  if (!run || chat.run_count < 2 || floorMs === 0 || !isRunOver(run.state)) return undefined
  const ageMs = ctx.now().getTime() - Date.parse(run.started_at)
  return ageMs < floorMs ? { ...run, state: 'working', error: '', output: null } : undefined
}

const latestRun = async (ctx: Ctx<Actor>, chat: store.ChatRow): Promise<store.RunRow | undefined> => {
  if (chat.active_run_id !== null) return store.findRun(ctx.db, chat.active_run_id)
  return chat.run_count < 2 ? undefined : store.findLatestRun(ctx.db, chat.id)
}

/**
 * The chat with its agent, run and interrupts. Streams report the real state; single reads report the minimum busy
 * time.
 */
export const wholeChat = async (
  ctx: Ctx<Actor>,
  chat: store.ChatRow,
  { withFloor }: { withFloor: boolean },
): Promise<Chat> => {
  const [latest, interrupts, agents] = [
    await latestRun(ctx, chat),
    await findPendingInterrupts(ctx.db, [chat.id]),
    await agentSummaries(ctx, [chat.agent_id ?? '']),
  ]
  const agent = agents.get(chat.agent_id ?? '') ?? null
  const version = agent ? await loadVersion(ctx.db, chat.agent_version_id) : undefined
  const active = chat.active_run_id === null ? undefined : latest
  const kept = withFloor ? shownBusy(ctx, chat, latest) : undefined
  return chatDto(kept ? { ...chat, status: 'busy' } : chat, { run: kept ?? active, interrupts, agent, version })
}

export const getChat = async (ctx: Ctx<Actor>, id: string): Promise<Chat> => {
  const chat = await readableChat(ctx, id)
  if (chat.active_run_id !== null) await tellLacksWithin(ctx, chat.id)
  return wholeChat(ctx, chat, { withFloor: true })
}

export const getStatus = async (ctx: Ctx<Actor>, id: string) => {
  const chat = await readableChat(ctx, id)
  const kept = chat.active_run_id === null ? shownBusy(ctx, chat, await latestRun(ctx, chat)) : undefined
  return { id: chat.id, status: (kept ? 'busy' : chat.status) as Chat['status'], updated_at: chat.updated_at }
}

const column = columnsOf('chats')

const listSpec: ListSpec = {
  id: 'chats.id',
  columns: {
    id: column('id'),
    team_id: column('team_id'),
    user_id: column('user_id'),
    name: column('name'),
    status: column('status'),
    visibility: column('visibility'),
    agent_id: { ...column('agent_id'), ...nullable },
    parent_id: { ...column('parent_id'), ...nullable },
    project_id: { ...column('project_id'), ...nullable },
    created_at: column('created_at', 'time'),
    updated_at: column('updated_at', 'time'),
  },
  search: ['name'],
}

const maxChildren = 100

/** By parent, newest first. */
const childrenOf = async (ctx: Ctx<Actor>, rows: readonly store.ChatRow[], reach: ListReach) => {
  const visible = listedWith(ctx.actor, 'chats', reach, undefined)
  const ids = rows.map(({ id }) => id)
  const children = await store.findChildren(ctx.db, ids, visible, maxChildren)
  return Map.groupBy(children, ({ parent_id }) => parent_id ?? '')
}

/** Chats of sub-agents are only listed with a filter for them. */
export const listChats = async (ctx: Ctx<Actor>, request: ListRequest): Promise<Page<Partial<Chat>>> => {
  const reach = await listReach(ctx, request, 'chat')
  const asksForChildren = request.filters?.some(({ field }) => field === 'parent_id') === true
  const visible = store.selectChats(ctx.db).where(listedWith(ctx.actor, 'chats', reach, request.permissions))
  return runOwnedList(asksForChildren ? visible : visible.where('chats.parent_id', 'is', null), {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => chatDto(row, {}),
    notice: ctx.notice,
    embed: async (rows, items) => {
      const ids = rows.flatMap((row) => row.active_run_id ?? [])
      const runs = new Map((await store.findRuns(ctx.db, ids)).map((run) => [run.id, run]))
      const interrupts = await findPendingInterrupts(
        ctx.db,
        rows.map((row) => row.id),
      )
      const preloads = request.preloads ?? []
      const agents = preloads.includes('agent')
        ? await agentSummaries(
            ctx,
            rows.map((row) => row.agent_id ?? ''),
          )
        : new Map()
      const children = preloads.includes('children') ? await childrenOf(ctx, rows, reach) : undefined
      for (const [index, item] of items.entries()) {
        const row = rows[index]
        const run = runs.get(row?.active_run_id ?? '')
        const pending = interrupts.filter((interrupt) => interrupt.chat_id === row?.id)
        if (!row) continue
        if (run && wants(request, 'active_run')) item.active_run = runDto(run, row, pending)
        if (wants(request, 'active_run_id')) item.active_run_id = run?.id ?? null
        if ('pending_interrupts' in item) item.pending_interrupts = pending.map((one) => interruptDto(one, row))
        if (children && 'children' in item) item.children = (children.get(row.id) ?? []).map((one) => chatDto(one, {}))
        if (preloads.includes('agent') && wants(request, 'agent')) item.agent = agents.get(row.agent_id ?? '') ?? null
      }
    },
  })
}

const wants = ({ fields }: ListRequest, field: string): boolean => !fields?.length || fields.includes(field)

const messagesSpec: ListSpec = {
  id: 'chat_messages.id',
  columns: {
    id: { ref: 'chat_messages.id', type: 'text' },
    order: { ref: 'chat_messages.order', type: 'number' },
    role: { ref: 'chat_messages.role', type: 'text' },
    status: { ref: 'chat_messages.status', type: 'text' },
    agent_run_id: { ref: 'chat_messages.agent_run_id', type: 'text', nullable: true },
    created_at: { ref: 'chat_messages.created_at', type: 'time' },
    updated_at: { ref: 'chat_messages.updated_at', type: 'time' },
  },
  search: [],
  defaultSort: [{ field: 'order', dir: 'desc' }],
}

/** Newest first: older messages are loaded page by page. */
export const listMessages = async (
  ctx: Ctx<Actor>,
  id: string,
  request: ListRequest,
): Promise<Page<Partial<ChatMessage>>> => {
  const chat = await readableChat(ctx, id)
  return runOwnedList(store.selectMessagesWithCalls(ctx.db, chat.id), {
    db: ctx.db,
    spec: messagesSpec,
    request,
    toItem: (row) => messageDto(row, callsOf(row.calls), chat),
    notice: ctx.notice,
  })
}

export const readableRun = async (ctx: Ctx<Actor>, id: string) => {
  const run = await store.findRun(ctx.db, id)
  const chat = run && (await store.findChat(ctx.db, run.chat_id))
  if (!run || !chat) throw fail('not_found', 'Run not found')
  await assertChatReadable(ctx, chat).catch(() => {
    throw fail('not_found', 'Run not found')
  })
  return { run, chat }
}

export const getRun = async (ctx: Ctx<Actor>, id: string): Promise<AgentRun> => {
  const { run, chat } = await readableRun(ctx, id)
  if (!isRunOver(run.state)) await tellLacksWithin(ctx, chat.id)
  return runDto(run, chat, await findPendingOfRun(ctx.db, run.id))
}

export const runInterrupts = async (ctx: Ctx<Actor>, id: string): Promise<Interrupt[]> => {
  const { run, chat } = await readableRun(ctx, id)
  return (await findPendingOfRun(ctx.db, run.id)).map((row) => interruptDto(row, chat))
}

export const readableInterrupt = async (ctx: Ctx<Actor>, id: string) => {
  const interrupt = await findInterrupt(ctx.db, id)
  const chat = interrupt && (await store.findChat(ctx.db, interrupt.chat_id))
  if (!interrupt || !chat) throw fail('not_found', 'Interrupt not found')
  await assertChatReadable(ctx, chat).catch(() => {
    throw fail('not_found', 'Interrupt not found')
  })
  return { interrupt, chat }
}

export const getInterrupt = async (ctx: Ctx<Actor>, id: string): Promise<Interrupt> => {
  const { interrupt, chat } = await readableInterrupt(ctx, id)
  return interruptDto(interrupt, chat)
}
