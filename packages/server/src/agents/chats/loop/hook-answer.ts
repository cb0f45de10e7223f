// Parses and combines the answers of lifecycle handlers. Pure.
import { isRecord } from '@millrace/contract/json'
import { toStorable } from '#platform/core/storable.ts'
import type { HookAnswer } from './decide.ts'

/** The role of a message that a handler injects. */
export type InjectedRole = 'system' | 'user' | 'assistant'

export type HandlerAnswer = {
  decision: 'allow' | 'deny' | 'stop' | 'suspend'
  reason?: string
  inject?: { content: string; ttlTurns: number; key: string; role: InjectedRole }
  override?: unknown
  /** Added to the system prompt of every turn of the run. */
  system?: string
}

export const allowed: HandlerAnswer = { decision: 'allow' }

const decisions = ['allow', 'deny', 'stop', 'suspend'] as const
const roles = ['system', 'user', 'assistant'] as const
const maxTextLength = 100_000
const maxTurns = 1_000

const readInject = (given: unknown): HandlerAnswer['inject'] => {
  if (!isRecord(given) || typeof given.content !== 'string' || given.content === '') return undefined
  const ttl = typeof given.ttl_turns === 'number' && given.ttl_turns > 0 ? Math.ceil(given.ttl_turns) : maxTurns
  const key = typeof given.dedup_key === 'string' ? given.dedup_key : ''
  const role = roles.find((one) => one === given.role) ?? 'system'
  return { content: given.content.slice(0, maxTextLength), ttlTurns: Math.min(ttl, maxTurns), key, role }
}

/** Anything that is not a valid answer counts as "allow": a broken handler must not stop its agent. */
export const readHandlerAnswer = (given: unknown): HandlerAnswer => {
  if (!isRecord(given)) return allowed
  const decision = decisions.find((one) => one === given.decision) ?? 'allow'
  const inject = readInject(given.inject)
  return toStorable({
    decision,
    ...(typeof given.reason === 'string' && { reason: given.reason.slice(0, maxTextLength) }),
    ...(inject && { inject }),
    ...(given.override !== undefined && given.override !== null && { override: given.override }),
    ...(typeof given.system === 'string' && given.system !== '' && { system: given.system.slice(0, maxTextLength) }),
  })
}

const strength = { allow: 0, suspend: 0, deny: 1, stop: 2 } as const

/** The strictest decision wins; of several overrides the last one wins. */
export const combine = (answers: readonly HandlerAnswer[]): HookAnswer => {
  const strongest = [...answers].sort((a, b) => strength[b.decision] - strength[a.decision])[0] ?? allowed
  const override = answers.findLast((answer) => answer.override !== undefined)?.override
  return {
    decision: strongest.decision === 'suspend' ? 'allow' : strongest.decision,
    ...(strongest.reason !== undefined && { reason: strongest.reason }),
    ...(override !== undefined && { override }),
  }
}

/** `role` is missing in runs that started before the field existed. */
export type Injection = { content: string; turns: number; key: string; role?: InjectedRole }

/** An injection replaces an earlier one with the same key. */
export const withInjections = (current: readonly Injection[], answers: readonly HandlerAnswer[]): Injection[] => {
  const added = answers.flatMap(({ inject, system }): Injection[] => [
    ...(inject ? [{ content: inject.content, turns: inject.ttlTurns, key: inject.key, role: inject.role }] : []),
    ...(system === undefined ? [] : [{ content: system, turns: maxTurns, key: '' }]),
  ])
  const keys = new Set(added.map(({ key }) => key).filter((key) => key !== ''))
  return [...current.filter(({ key }) => !keys.has(key)), ...added].slice(-50)
}
