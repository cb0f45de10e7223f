// Queries of chats, messages, runs and interrupts. Read-only.
import type { AgentRun, Chat, ChatMessage, Interrupt } from '@millrace/contract/chats'
import { isRunOver } from '@millrace/contract/chats'
import type { ListRequest, Page } from '@millrace/contract/common'
import { isShortId } from '@millrace/contract/ids'
import { addUnmetNoticesWithin } from '#execution/dispatch/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readSnapshot } from '#platform/db/read-snapshot.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import { columnsOf, type ListSpec, nullable } from '#platform/tenancy/list/spec.ts'
import { listedWith, listReach } from '#platform/tenancy/private-access.ts'
import type { ListReach } from '#platform/tenancy/visibility.ts'
import { agentSummaries, loadVersion } from '../agents/service.ts'
import { assertChatReadable } from './access.ts'
import { chatDto, interruptDto, messageDto, runDto } from './dto.ts'
import { findInterrupt, findPendingInterrupts, findPendingOfRun } from './interrupts/interrupts-store.ts'
import { type ChatState, callsOf, findChatState } from './runs/scene-store.ts'
import * as store from './store.ts'

export const readableChat = async (ctx: Ctx<Actor>, id: string): Promise<store.ChatRow> =>
  assertChatReadable(ctx, await store.findChat(ctx.db, id))

/**
 * Clients that poll an existing chat wait until they have seen it busy. A run that ends faster than they poll is
 * therefore reported as working for a minimum time.
 */
const shownBusy = (ctx: Ctx<Actor>, { chat, run }: Pick<ChatState, 'chat' | 'run'>): store.RunRow | undefined => {
  const floorMs = ctx.settings.CHAT_MIN_BUSY_MS
  if (!run || chat.run_count < 2 || floorMs === 0 || !isRunOver(run.state)) return undefined
  const ageMs = ctx.now().getTime() - Date.parse(run.started_at)
  return ageMs < floorMs ? { ...run, state: 'working', error: '', output: null } : undefined
}

/** The chat with its agent, its run and its open interrupts. Streams show the state itself, single reads the busy floor. */
export const chatDetails = async (
  ctx: Ctx<Actor>,
  state: ChatState,
  { withFloor }: { withFloor: boolean },
): Promise<Chat> => {
  const { chat, run, interrupts } = state
  const agents = await agentSummaries(ctx, [chat.agent_id ?? ''])
  const agent = agents.get(chat.agent_id ?? '') ?? null
  const version = agent ? await loadVersion(ctx.db, chat.agent_version_id) : undefined
  const active = chat.active_run_id === null ? undefined : (run ?? undefined)
  const busy = withFloor ? shownBusy(ctx, state) : undefined
  const parts = { run: busy ?? active, interrupts, agent, version, reader: ctx.actor }
  return chatDto(busy ? { ...chat, status: 'busy' } : chat, parts)
}

/** The same for the response of a change, which holds the lock of the chat or has just created it. */
export const changedChat = async (ctx: Ctx<Actor>, chat: store.ChatRow): Promise<Chat> => {
  const run = chat.active_run_id === null ? undefined : await store.findRun(ctx.db, chat.active_run_id)
  const interrupts = await findPendingInterrupts(ctx.db, [chat.id])
  return chatDetails(ctx, { chat, run: run ?? null, interrupts }, { withFloor: false })
}

const readableState = async (ctx: Ctx<Actor>, id: string): Promise<ChatState> => {
  const chatId = isShortId(id) ? (await store.findChat(ctx.db, id))?.id : id
  const state = chatId === undefined ? undefined : await findChatState(ctx.db, chatId)
  await assertChatReadable(ctx, state?.chat)
  if (!state) throw fail('not_found', 'Chat not found')
  return state
}

export const getChat = async (ctx: Ctx<Actor>, id: string): Promise<Chat> => {
  const state = await readableState(ctx, id)
  if (state.chat.active_run_id !== null) await addUnmetNoticesWithin(ctx, state.chat.id)
  return chatDetails(ctx, state, { withFloor: true })
}

export const getStatus = async (ctx: Ctx<Actor>, id: string) => {
  const chat = await readableChat(ctx, id)
  const isIdleAgain = chat.active_run_id === null && chat.run_count > 1
  const run = isIdleAgain ? await store.findLatestRun(ctx.db, chat.id) : undefined
  const isShownBusy = shownBusy(ctx, { chat, run: run ?? null }) !== undefined
  return { id: chat.id, status: (isShownBusy ? 'busy' : chat.status) as Chat['status'], updated_at: chat.updated_at }
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
    last_error: column('last_error'),
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
  const filtersByParent = request.filters?.some(({ field }) => field === 'parent_id') === true
  const visible = store.selectChats(ctx.db).where(listedWith(ctx.actor, 'chats', reach, request.permissions))
  return runOwnedList(filtersByParent ? visible : visible.where('chats.parent_id', 'is', null), {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => chatDto(row, { reader: ctx.actor }),
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
        if (children && 'children' in item)
          item.children = (children.get(row.id) ?? []).map((one) => chatDto(one, { reader: ctx.actor }))
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

const findRunState = (ctx: Ctx<Actor>, id: string) =>
  readSnapshot(ctx.db, async (db) => {
    const run = await store.findRun(db, id)
    if (!run) return {}
    return { run, chat: await store.findChat(db, run.chat_id), interrupts: await findPendingOfRun(db, run.id) }
  })

export const readableRun = async (ctx: Ctx<Actor>, id: string) => {
  const { run, chat, interrupts } = await findRunState(ctx, id)
  if (!run || !chat) throw fail('not_found', 'Run not found')
  await assertChatReadable(ctx, chat).catch(() => {
    throw fail('not_found', 'Run not found')
  })
  return { run, chat, interrupts }
}

export const getRun = async (ctx: Ctx<Actor>, id: string): Promise<AgentRun> => {
  const { run, chat, interrupts } = await readableRun(ctx, id)
  if (!isRunOver(run.state)) await addUnmetNoticesWithin(ctx, chat.id)
  return runDto(run, chat, interrupts)
}

export const runInterrupts = async (ctx: Ctx<Actor>, id: string): Promise<Interrupt[]> => {
  const { chat, interrupts } = await readableRun(ctx, id)
  return interrupts.map((row) => interruptDto(row, chat))
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
