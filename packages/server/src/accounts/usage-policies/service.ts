// Rules of usage policies: the operator sets what a workspace may use, and every use is checked here first.
import { newId } from '@millrace/contract/ids'
import { LRUCache } from 'lru-cache'
import { type Actor, isMember } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { forgetCredentials } from '../access/service.ts'
import { isWithin, type PolicyKind, type PolicyPatterns, type PolicyTarget } from './reach.ts'
import * as store from './store.ts'

export { type PolicyKind, type PolicyPatterns, policyKinds, readPatterns, shownPatterns } from './reach.ts'

/**
 * Cached because every run checks. A change drops the cache at once; this is the upper bound when the notification is
 * lost.
 */
const cacheMs = 1_000
const maxCached = 10_000

type CachedPolicy = { readonly id: string; readonly reach: PolicyPatterns } | 'none'

const policyCache = perPlatform(() => new LRUCache<string, CachedPolicy>({ max: maxCached, ttl: cacheMs }))

const patternsOf = ({ apps, agents, mcps, knowledge, flows }: store.PolicyRow): PolicyPatterns => ({
  apps,
  agents,
  mcps,
  knowledge,
  flows,
})

const policyOf = async (ctx: Ctx<Actor>, teamId: string): Promise<CachedPolicy> => {
  const cached = policyCache(ctx)
  const known = cached.get(teamId)
  if (known !== undefined) return known
  const row = await store.findPolicyOf(ctx.db, teamId)
  const found: CachedPolicy = row ? { id: row.id, reach: patternsOf(row) } : 'none'
  cached.set(teamId, found)
  return found
}

export const forgetPolicy = (ctx: Pick<Ctx<Actor>, 'extensions'>, teamId: string): void => {
  policyCache(ctx).delete(teamId)
}

const words: Record<PolicyKind, string> = {
  apps: 'app',
  agents: 'agent',
  mcps: 'MCP server',
  knowledge: 'knowledge',
  flows: 'flow',
}

type RequestedTarget = { readonly team_id: string | null; readonly namespace: string; readonly name: string }

/** Succeeds when the policy of the caller's workspace allows the use; a guest has no workspace and no policy. */
export const requirePolicy = async (ctx: Ctx<Actor>, kind: PolicyKind, wanted: RequestedTarget): Promise<void> => {
  const { actor } = ctx
  if (!isMember(actor)) return
  const policy = await policyOf(ctx, actor.teamId)
  if (policy === 'none') return
  const { namespace, name, team_id: ownerId } = wanted
  const target: PolicyTarget = { kind, namespace, name, isOwn: ownerId === actor.teamId }
  if (isWithin(policy.reach, target)) return
  const ref = `${namespace}/${name}`
  throw fail('blocked_by_usage_policy', {
    detail: `The usage policy of this workspace does not include the ${words[kind]} ${ref}`,
    meta: { resource_type: kind, resource: ref, usage_policy_id: policy.id },
  })
}

/** The effective policy of a workspace: its own or its organization's. */
export const getPolicy = async (ctx: Ctx<Actor>, teamId: string): Promise<CachedPolicy> => {
  const row = await store.findPolicyOf(ctx.db, teamId)
  return row ? { id: row.id, reach: patternsOf(row) } : 'none'
}

/** The policy set for this workspace itself, even if not effective. */
export const policySetFor = async (ctx: Ctx<Actor>, teamId: string): Promise<string | null> =>
  (await store.findPolicySetFor(ctx.db, teamId))?.id ?? null

/** A workspace of an organization has no policy of its own. */
const governing = async (ctx: Ctx<Actor>, teamId: string) => {
  const team = await store.lockTeam(ctx.db, teamId)
  if (!team) throw fail('not_found', 'Workspace not found')
  if (team.org_id !== null && team.type !== 'org')
    throw fail(
      'invalid_state',
      'The organization governs this workspace; set the policy on the organization’s own workspace',
    )
  return team
}

/** Replaces the policy; returns the number of affected workspaces. */
export const setPolicy = (
  ctx: Ctx<Actor>,
  teamId: string,
  patterns: PolicyPatterns,
): Promise<{ id: string; teams: number }> =>
  ctx.tx(async (ctx) => {
    const team = await governing(ctx, teamId)
    const now = ctx.now().toISOString()
    const lists = Object.fromEntries(Object.entries(patterns).map(([kind, list]) => [kind, list && [...list]]))
    const { id } = await store.upsertPolicy(ctx.db, {
      id: newId(),
      team_id: team.id,
      ...lists,
      created_at: now,
      updated_at: now,
    })
    const teams = await store.assignPolicy(ctx.db, team.id, id)
    for (const { id: cached } of teams) await forgetCredentials(ctx, cached)
    await recordAudit(ctx, 'usage_policy.set', {
      resourceType: 'usage_policy',
      resourceId: id,
      teamId: team.id,
      meta: { ...patterns },
    })
    return { id, teams: teams.length }
  })

export const clearPolicy = (ctx: Ctx<Actor>, teamId: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const team = await governing(ctx, teamId)
    const row = await store.findPolicyOf(ctx.db, team.id)
    if (!row) throw fail('not_found', 'The workspace has no usage policy')
    const teams = await store.listTeamsUnder(ctx.db, row.id)
    await store.deletePolicy(ctx.db, row.id)
    for (const { id } of teams) await forgetCredentials(ctx, id)
    await recordAudit(ctx, 'usage_policy.cleared', {
      resourceType: 'usage_policy',
      resourceId: row.id,
      teamId: team.id,
    })
  })
