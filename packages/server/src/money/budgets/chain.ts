// The chain of subjects behind a piece of work: the workspace, the API key, the trigger, and all flows and agents that
// led to it, however deep.
import type { BudgetSubject } from '@millrace/contract/budgets'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import * as store from './store.ts'

/**
 * The cause of an agent's run. Passed along because the run and its chat may not be stored yet when the first task
 * is accepted.
 */
export type RunCause = {
  readonly trigger_id: string | null
  readonly flow_run_id: string | null
  readonly task_id: string | null
  readonly agent_id: string | null
  /** The chat of the agent that called this one. */
  readonly parent_chat_id: string | null
}

/** The origin of a task, according to its row. */
export type WorkOrigin = {
  readonly flow_run_id?: string | null
  readonly chat_id?: string | null
  readonly agent_id?: string | null
  readonly began?: RunCause
}

type Step = { readonly kind: 'flow_run' | 'chat' | 'task'; readonly id: string }

/** Flows and agents can nest; this is more than the platform's nesting limit. */
const maxSteps = 64

const keyOf = ({ kind, credentialId, grant }: Member): string | undefined => {
  if (kind === 'key') return credentialId
  return grant.key
}

export const chainOf = async (ctx: Ctx<Member>, origin: WorkOrigin): Promise<store.SpendingSubject[]> => {
  const { db, actor } = ctx
  const { teamId } = actor
  const found = new Map<string, store.SpendingSubject>()
  const add = (type: BudgetSubject, id: string | null | undefined) => {
    if (id) found.set(`${type}/${id}`, [type, id])
  }
  const steps: Step[] = []
  const follow = (kind: Step['kind'], id: string | null | undefined) => {
    if (id && steps.length < maxSteps && !steps.some((step) => step.id === id)) steps.push({ kind, id })
  }
  const followOrigin = (from: WorkOrigin | undefined) => {
    add('agent', from?.agent_id)
    follow('flow_run', from?.flow_run_id)
    follow('chat', from?.chat_id)
  }
  add('workspace', teamId)
  add('api_key', keyOf(actor))
  if (actor.kind === 'run' && (await store.isTrigger(db, teamId, actor.credentialId)))
    add('trigger', actor.credentialId)
  followOrigin(origin)
  add('trigger', origin.began?.trigger_id)
  add('agent', origin.began?.agent_id)
  follow('chat', origin.began?.parent_chat_id)
  follow('flow_run', origin.began?.flow_run_id)
  follow('task', origin.began?.task_id)
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index]
    if (step?.kind === 'task') followOrigin(await store.findTaskOrigin(db, teamId, step.id))
    if (step?.kind === 'flow_run') {
      const run = await store.findFlowRun(db, teamId, step.id)
      add('flow', run?.flow_id)
      add('trigger', run?.trigger_id)
      follow('task', run?.task_id)
    }
    if (step?.kind === 'chat') {
      const chat = await store.findChat(db, teamId, step.id)
      add('agent', chat?.agent_id)
      add('trigger', chat?.trigger_id)
      follow('chat', chat?.parent_id)
      follow('flow_run', chat?.flow_run_id)
      follow('task', chat?.task_id)
    }
  }
  return [...found.values()].sort(([a, x], [b, y]) => (`${a}/${x}` < `${b}/${y}` ? -1 : 1))
}
