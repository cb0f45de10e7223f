// Writes the changes of a step in one statement and emits the stream events in the order that readers rely on:
// messages, then the run, then the chat.

import { type InvocationStatus, isRunOver, type RunState } from '@millrace/contract/chats'
import { rowUpdate, teamSubject } from '#platform/bus/subjects.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { wireTime } from '#platform/core/times.ts'
import { accessOf } from '../access.ts'
import { harness } from '../extension-points.ts'
import * as store from '../store.ts'
import { chatEvents } from '../streams/events.ts'
import { chatSubject, errandsSubject } from '../streams/subjects.ts'
import { changeChat, changeRun, currentCalls, emptyTouched, pendingInterrupts, type Scene } from './scene.ts'
import { writeRows } from './scene-store.ts'

const waitsForPeople = (status: InvocationStatus): boolean =>
  status === 'awaiting_approval' || status === 'awaiting_input'

/** The state of an active run, from what it waits for. */
const liveState = (scene: Scene): RunState => {
  const pending = pendingInterrupts(scene)
  if (pending.some(({ reason }) => reason === 'auth')) return 'auth_required'
  const calls = currentCalls(scene)
  if (pending.length > 0 || calls.some((call) => waitsForPeople(call.status as InvocationStatus)))
    return 'input_required'
  return scene.run?.phase === 'starting' ? 'submitted' : 'working'
}

const deriveStates = (scene: Scene): void => {
  const { run, chat } = scene
  if (run && !isRunOver(run.state)) {
    const state = liveState(scene)
    if (run.state !== state) changeRun(scene, { state })
  }
  const isLive = run !== null && !isRunOver(run.state)
  const status = !isLive
    ? chat.status === 'completed'
      ? 'completed'
      : 'idle'
    : run.state === 'input_required' || run.state === 'auth_required'
      ? 'awaiting_input'
      : 'busy'
  if (chat.status !== status) changeChat(scene, { status })
}

const isAnythingChanged = ({ chatChanged, runChanged, touched, errands, settledHooks }: Scene): boolean =>
  chatChanged ||
  runChanged ||
  errands.length > 0 ||
  settledHooks.length > 0 ||
  Object.values(touched).some((ids) => ids.size > 0)

/** Writes the changes in the transaction of the step; emits the events when it commits. */
export const saveScene = async (ctx: Ctx<Actor>, scene: Scene): Promise<void> => {
  deriveStates(scene)
  if (!isAnythingChanged(scene)) return
  const { chat, run, touched } = scene
  const now = wireTime(ctx.now())
  chat.event_seq += 1
  chat.updated_at = now
  const seq = chat.event_seq
  const chosen = <R>(rows: Map<string, R>, ids: Set<string>): R[] =>
    [...ids].flatMap((id) => {
      const row = rows.get(id)
      return row ? [row] : []
    })
  const messages = chosen(scene.messages, touched.messages).map((row) =>
    Object.assign(row, { event_seq: seq, updated_at: now }),
  )
  const calls = chosen(scene.calls, touched.calls).map((row) => Object.assign(row, { updated_at: now }))
  const interrupts = chosen(scene.interrupts, touched.interrupts).map((row) => Object.assign(row, { updated_at: now }))
  const isRunWritten = run !== null && (scene.runChanged || scene.isNewRun)
  if (isRunWritten) Object.assign(run, { event_seq: seq, updated_at: now })
  await writeRows(ctx.db, { chat, run: isRunWritten ? run : null, messages, calls, interrupts })
  await store.upsertHookCalls(
    ctx.db,
    chosen(scene.hookCalls, touched.hookCalls).map((row) => ({ ...row, data: JSON.stringify(row.data) })),
  )
  await store.deleteHookCalls(ctx.db, scene.settledHooks)
  await store.insertErrands(ctx.db, scene.errands)
  if (scene.errands.length > 0) ctx.emit({ subject: errandsSubject, data: null })
  if (chat.remote_id !== null && concernsMachine(scene))
    for (const { changed } of ctx.extensions.listenersOf(harness)) await changed(ctx, chat)
  const subject = chatSubject(chat.id)
  // Readers of a deleted chat receive nothing else.
  const isShown = chat.deleted_at === null && ctx.bus.hasListener(subject)
  const published = isShown ? await chatEvents(ctx, scene, messages, pendingInterrupts(scene)) : undefined
  ctx.emit({ subject, data: { seq, of: accessOf(chat), ...(published && { events: published }) } })
  if (scene.chatChanged) reportChat(ctx, chat)
  forgetChanges(scene)
}

/** The coding agent's own output is not sent back to its machine. */
const concernsMachine = ({ chat, messages, touched, isNewRun, runChanged }: Scene): boolean =>
  isNewRun ||
  runChanged ||
  chat.deleted_at !== null ||
  touched.calls.size > 0 ||
  [...touched.messages].some((id) => messages.get(id)?.role === 'user')

/** Notifies the workspace of the state of the chat, without its content. */
const reportChat = (ctx: Ctx<Actor>, chat: store.ChatRow): void => {
  const { name, status, last_error, updated_at } = chat
  const update = rowUpdate('chats', chat, { name, status, last_error, updated_at }, 'conversations:read')
  ctx.emit({ subject: teamSubject(chat.team_id), data: update })
}

const forgetChanges = (scene: Scene): void => {
  scene.touched = emptyTouched()
  scene.errands = []
  scene.settledHooks = []
  scene.agentEvents = []
  scene.intermediateRuns = []
  scene.isNewRun = false
  scene.chatChanged = false
  scene.runChanged = false
}
