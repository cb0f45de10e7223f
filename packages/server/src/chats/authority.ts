// Why a step could do what it did: the chain from whoever started it down to the step, with what each link may do, and
// for every call the rule or person that let it happen and the credential it used.
import type { Authority, AuthorityLink } from '@millrace/contract/chats'
import { allScopes, type Grant, holds } from '@millrace/contract/scopes'
import type { Actor } from '../core/actor.ts'
import type { Ctx } from '../core/ctx.ts'
import { readableRun } from './reads.ts'
import * as store from './store.ts'

/** The scopes of a grant by name. */
export const scopesOf = (grant: unknown): string[] => allScopes.filter((scope) => holds(grant as Grant, scope))

type StartedBy = { kind?: string; id?: string }

const starterLink = (run: store.RunRow): AuthorityLink => {
  const { kind = '', id = '' } = run.started_by as StartedBy
  return { kind: 'starter', id, label: kind, user_id: run.user_id, scopes: scopesOf(run.run_as), at: run.created_at }
}

const runLink = (run: store.RunRow): AuthorityLink => ({
  kind: 'run',
  id: run.id,
  label: run.agent_id ?? 'ad-hoc agent',
  user_id: run.user_id,
  scopes: scopesOf(run.run_as),
  at: run.created_at,
})

const toolLink = (call: store.CallRow, run: store.RunRow): AuthorityLink => ({
  kind: 'tool',
  id: call.id,
  label: call.name,
  scopes: scopesOf(run.run_as),
  ...(call.allowed_by !== null && { allowed_by: call.allowed_by }),
  ...(call.used !== null && { credential: call.used }),
  at: call.created_at,
})

const deepest = 8

/** From the top: starter, trigger, run, and for every level below it the call and the run that it began. */
const chainOf = async (ctx: Ctx<Actor>, run: store.RunRow): Promise<AuthorityLink[]> => {
  const below: AuthorityLink[] = [runLink(run)]
  let current = run
  for (let level = 0; level < deepest && current.tool_invocation_id !== null; level += 1) {
    const call = await store.findCall(ctx.db, current.tool_invocation_id)
    const parent = call && (await store.findRun(ctx.db, call.run_id))
    if (!call || !parent) break
    below.unshift(runLink(parent), toolLink(call, parent))
    current = parent
  }
  const trigger: AuthorityLink[] =
    current.trigger_id === null
      ? []
      : [{ kind: 'trigger', id: current.trigger_id, label: 'trigger', scopes: scopesOf(current.run_as) }]
  const flow: AuthorityLink[] =
    current.flow_run_id === null
      ? []
      : [{ kind: 'flow_run', id: current.flow_run_id, label: 'flow run', scopes: scopesOf(current.run_as) }]
  return [starterLink(current), ...trigger, ...flow, ...below]
}

export const runAuthority = async (ctx: Ctx<Actor>, id: string): Promise<Authority> => {
  const { run } = await readableRun(ctx, id)
  const calls = await store.findCallsOfRun(ctx.db, run.id)
  return { chain: await chainOf(ctx, run), tools: calls.map((call) => toolLink(call, run)) }
}
