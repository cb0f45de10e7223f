// Answers to interrupts: from a person, a trigger, a timeout, or a new connection.
import type { ResolveInterrupt } from '@millrace/contract/chat-answers'
import type { Interrupt } from '@millrace/contract/chats'
import { type Actor, type Member, system } from '#platform/core/actor.ts'
import { type Ctx, createCtx, type Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import type { JobHandler } from '#platform/jobs/jobs.ts'
import { assertMayAct } from '../access.ts'
import { interruptDto } from '../dto.ts'
import { answerGate } from '../hooks/hooks.ts'
import type { LoopEvent } from '../loop/decide.ts'
import { drive } from '../runs/drive.ts'
import { changeCall, openScene, type Scene } from '../runs/scene.ts'
import * as store from '../store.ts'
import { approve, close, reject, retryWithAnswer } from './answers.ts'
import { findAuthInterrupts, findInterrupt, type InterruptPlace, type InterruptRow } from './interrupts-store.ts'

type Ctxm = Ctx<Member>

/** Makes the call again after the requested connection was created. */
const retryCall = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  interrupt: InterruptRow,
  data?: unknown,
): Promise<LoopEvent[]> => {
  const callId = interrupt.resource_id ?? ''
  await close(ctx, scene, interrupt, { status: 'resolved', resolution: 'allow', data })
  changeCall(scene, callId, { status: 'awaiting_approval' })
  return [{ type: 'approved', callId }]
}

const resolveOpen = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  interrupt: InterruptRow,
  resolution: 'allow' | 'deny',
  end: { status: 'resolved' | 'expired'; data?: unknown },
): Promise<LoopEvent[]> => {
  const callId = interrupt.resource_id ?? ''
  switch (interrupt.reason) {
    case 'tool_approval':
      if (resolution === 'allow') return approve(ctx, scene, callId, end.data)
      return reject(ctx, scene, callId, '', end.data)
    case 'auth':
      if (resolution === 'allow') return retryCall(ctx, scene, interrupt, end.data)
      return reject(ctx, scene, callId, 'the connection was not created', end.data)
    case 'client_tool':
    case 'widget': {
      await close(ctx, scene, interrupt, { ...end, resolution })
      if (resolution === 'allow' && scene.calls.get(callId)?.type === 'mcp')
        return retryWithAnswer(ctx, scene, callId, JSON.stringify(end.data ?? {}))
      const result = resolution === 'deny' ? 'A person declined to answer.' : JSON.stringify(end.data ?? null)
      const status = resolution === 'deny' ? ('cancelled' as const) : ('completed' as const)
      return [{ type: 'call_ended', callId, ended: { status, result } }]
    }
    default:
      await close(ctx, scene, interrupt, { ...end, resolution })
      return answerGate(ctx, scene, interrupt.resource_id ?? '', resolution)
  }
}

const sceneOfInterrupt = async (ctx: Ctx<Actor>, interrupt: InterruptRow) => {
  const scene = await openScene(ctx, interrupt.chat_id)
  const current = scene?.interrupts.get(interrupt.id)
  if (!scene?.run || current?.status !== 'pending')
    throw fail('interrupt_not_pending', 'The interrupt was already answered')
  return { scene, current }
}

export const resolveInterrupt = (ctx: Ctxm, id: string, body: ResolveInterrupt): Promise<Interrupt> =>
  ctx.tx(async (ctx) => {
    const resolution = body.decision ?? body.resolution
    if (resolution === undefined) throw fail('validation_error', 'decision must be allow or deny')
    const found = await findInterrupt(ctx.db, id)
    const chat = found && (await store.findChat(ctx.db, found.chat_id))
    if (!found || !chat) throw fail('not_found', 'Interrupt not found')
    assertMayAct(ctx, chat, 'interrupt')
    const { scene, current } = await sceneOfInterrupt(ctx, found)
    await drive(ctx, scene, await resolveOpen(ctx, scene, current, resolution, { status: 'resolved', data: body.data }))
    const after = await findInterrupt(ctx.db, found.id)
    return interruptDto(after ?? current, scene.chat)
  })

/** Answers by timeout or by a trigger. Throws if there is no open interrupt. */
export const resolveByTrigger = async (
  ctx: Ctx<Actor>,
  interruptId: string,
  resolution: 'allow' | 'deny',
  isExpiry: boolean,
): Promise<string> => {
  const found = await findInterrupt(ctx.db, interruptId)
  if (!found) throw fail('not_found', 'Interrupt not found')
  const { scene, current } = await sceneOfInterrupt(ctx, found)
  const end = { status: isExpiry ? ('expired' as const) : ('resolved' as const) }
  await drive(ctx, scene, await resolveOpen(ctx, scene, current, resolution, end))
  return scene.chat.id
}

export const resumeAfterConnectJob = 'chats.resume_after_connect'

/** More runs are advanced by jobs, so that no transaction locks many chats. */
const maxResumedAtOnce = 200

/** Advances the runs that wait for a credential that was just connected. */
export const resumeAfterConnect = async (
  ctx: Ctx<Actor>,
  teamId: string,
  providers: readonly string[],
  after: InterruptPlace | null = null,
): Promise<void> => {
  const found = await findAuthInterrupts(ctx.db, { teamId, providers, after }, maxResumedAtOnce)
  for (const { id, chat_id: chatId } of found) {
    const scene = await openScene(ctx, chatId)
    const current = scene?.interrupts.get(id)
    if (scene?.run && current?.status === 'pending') await drive(ctx, scene, await retryCall(ctx, scene, current))
  }
  const last = found.at(-1)
  if (!last || found.length < maxResumedAtOnce) return
  const { created_at, id } = last
  await ctx.jobs.add(ctx.db, resumeAfterConnectJob, { team_id: teamId, providers, after: { created_at, id } })
}

type Continuation = { team_id: string; providers: string[]; after: InterruptPlace }

export const continueAfterConnect =
  (platform: Platform): JobHandler =>
  (payload) =>
    createCtx(platform, system).tx((ctx) => {
      const { team_id: teamId, providers, after } = payload as Continuation
      return resumeAfterConnect(ctx, teamId, providers, after)
    })
