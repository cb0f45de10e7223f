// Chats with the coding agents of a machine: launching one, and ending its session when the chat is deleted, the
// machine is lost or a timeout expires.
import type { Chat } from '@millrace/contract/chats'
import { type HarnessCapabilities, type HarnessKind, harnesses } from '@millrace/contract/harnesses'
import type { LaunchBody } from '@millrace/contract/remotes'
import type { Actor, Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertStorableText } from '#platform/core/storable.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import type { DrivenChat, HarnessProvider } from '../chats/extension-points.ts'
import { beginDrivenChat, changedChat, withDrivenChat } from '../chats/service.ts'
import { findOwn } from './lookup.ts'
import * as sessions from './session-store.ts'
import * as store from './store.ts'
import { type RemoteUpdate, remoteSubject } from './subjects.ts'

const notifyMachine = (ctx: Ctx<Actor>, remoteId: string, chatId: string): void => {
  const update: RemoteUpdate = { type: 'session', chatId }
  ctx.emit({ subject: remoteSubject(remoteId), data: update })
}

const assertFree = (profile: store.ProfileRow): void => {
  if (profile.status === 'unavailable') throw fail('invalid_state', 'The coding agent is not signed in on the machine')
  if (profile.status === 'busy')
    throw fail(
      'invalid_state',
      `The coding agent is busy; it runs at most ${profile.max_concurrent} sessions at a time`,
    )
}

type Ready = { remote: store.RemoteRow; profile: store.ProfileRow }

/** Checks in this order: everything exists, agents are enabled, the machine is connected, the agent has capacity. */
const readyProfile = async (ctx: Ctx<Member>, remoteId: string, profileId: string): Promise<Ready> => {
  const found = await findOwn(ctx, remoteId)
  // Locked, so that of two concurrent launches the second counts the first.
  const remote = await store.lockRemote(ctx.db, found.id)
  const profile = (await store.profilesOf(ctx.db, [found.id])).find((one) => store.isProfile(one, profileId))
  if (!remote || !profile) throw fail('not_found', 'Profile not found')
  if (!remote.agents_enabled) throw fail('agents_disabled')
  if (!remote.connected) throw fail('remote_offline')
  assertFree(profile)
  return { remote, profile }
}

const openSession = async (
  ctx: Ctx<Member>,
  chatId: string,
  { remote, profile, workDir = '', resume = '' }: Ready & { workDir?: string; resume?: string },
): Promise<void> => {
  const harness = profile.harness_kind
  const now = ctx.now().toISOString()
  await sessions.insertSession(ctx.db, {
    chat_id: chatId,
    team_id: remote.team_id,
    remote_id: remote.id,
    profile_id: profile.id,
    harness,
    work_dir: workDir,
    resume_session_id: resume,
    created_at: now,
    updated_at: now,
  })
  const meta = { chat_id: chatId, harness }
  await recordAudit(ctx, 'remote.launched', { resourceType: 'remote', resourceId: remote.id, meta })
  notifyMachine(ctx, remote.id, chatId)
}

export const launch = (ctx: Ctx<Member>, id: string, body: LaunchBody): Promise<Chat> =>
  ctx.tx(async (ctx) => {
    assertStorableText(body)
    const ready = await readyProfile(ctx, id, body.profile_id)
    const { remote, profile } = ready
    const workDir = body.work_dir ?? ''
    const driver = { remoteId: remote.id, profileId: profile.id, workDir }
    const { display_name: name } = harnesses[profile.harness_kind as HarnessKind]
    const chat = await beginDrivenChat(ctx, { name, driver })
    await openSession(ctx, chat.id, { ...ready, workDir, resume: body.resume_session_id ?? '' })
    return changedChat(ctx, chat)
  })

const profileOf = async (ctx: Ctx<Actor>, { remote_id, profile_id }: DrivenChat) =>
  (await store.profilesOf(ctx.db, [remote_id ?? ''])).find(({ id }) => id === profile_id)

/** The interface of chats to the machines behind them. */
export const remoteHarness: HarnessProvider = {
  begin: async (ctx, { id, remote_id, profile_id }) =>
    openSession(ctx, id, await readyProfile(ctx, remote_id ?? '', profile_id ?? '')),
  assertReachable: async (ctx, chat) => {
    const remote = await findOwn(ctx, chat.remote_id ?? '')
    if (!remote.agents_enabled) throw fail('agents_disabled')
    if (!remote.connected) throw fail('remote_offline')
    const profile = await profileOf(ctx, chat)
    if (!profile) throw fail('not_found', 'The coding agent no longer exists')
    // The chat's own session does not count against the limit.
    const others = await sessions.othersAtWork(ctx.db, profile.id, chat.id)
    if (profile.status !== 'busy' || others >= profile.max_concurrent) assertFree(profile)
  },
  steers: async (ctx, chat) =>
    ((await profileOf(ctx, chat))?.capabilities as HarnessCapabilities | undefined)?.steer === true,
  changed: async (ctx, chat) => {
    const now = ctx.now().toISOString()
    if (chat.deleted_at !== null) await sessions.beginClosing(ctx.db, chat.id, now)
    else if (chat.active_run_id !== null) await sessions.reopen(ctx.db, chat.id, chat.harness_session_id, now)
    notifyMachine(ctx, chat.remote_id ?? '', chat.id)
  },
}

/** One transaction each, in the global lock order: the chat, then its session. */
const failRun = (ctx: Ctx<Actor>, chatId: string, error: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    await withDrivenChat(ctx, chatId, async (chat) => chat.failRun(error))
    await sessions.changeSession(ctx.db, chatId, { status: 'closed' }, ctx.now().toISOString())
  })

/** For lost machines: the runs of their agents have failed. */
export const failSessions = async (ctx: Ctx<Actor>, remoteIds: readonly string[]): Promise<void> => {
  for (const { chat_id: chatId } of await sessions.openOf(ctx.db, remoteIds)) await failRun(ctx, chatId, 'remote_lost')
}

const openingMs = 60_000
const batch = 50

/** Fails the run if the machine does not open a requested session in time. */
export const failUnopened = async (ctx: Ctx<Actor>): Promise<void> => {
  const before = new Date(ctx.now().getTime() - openingMs).toISOString()
  for (const { chat_id: chatId } of await sessions.findUnopened(ctx.db, before, batch))
    await failRun(ctx, chatId, 'The machine did not open the session')
}
