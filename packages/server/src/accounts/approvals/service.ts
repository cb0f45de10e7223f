// Approval rules of a chat, an agent or a remote. The owner of the resource checks that the caller may change it; this
// service checks that only signed-in people extend what runs without approval.
import type { Rule, RuleInput } from '@millrace/contract/agents'
import { newId } from '@millrace/contract/ids'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { hasScope, requireScope } from '#platform/core/scope-checks.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import type { LeveledRule } from './evaluate-rules.ts'
import * as store from './store.ts'

export { type CallSubject, evaluateRules, type LeveledRule, type RuleDecision } from './evaluate-rules.ts'

export type RuleOwner = { level: LeveledRule['level']; id: string; teamId: string }

export const ruleDto = (row: store.RuleRow): Rule => ({
  id: row.id,
  effect: row.effect as Rule['effect'],
  kind: row.kind as Rule['kind'],
  selector: row.selector,
  specifier: row.specifier,
  label: row.label,
  created_by: row.created_by,
  created_at: row.created_at,
})

/** Fails unless the caller is signed in in person. */
export const assertMayApprove = (ctx: Ctx): void => {
  requireScope(ctx.actor, 'approvals:write')
}

export const listRules = async (ctx: Ctx<Member>, owner: RuleOwner): Promise<Rule[]> =>
  (await store.findRules(ctx.db, owner.teamId, [owner.id])).map(ruleDto)

/** Of several owners at once, to decide on a call. */
export const rulesFor = async (
  db: Parameters<typeof store.findRules>[0],
  teamId: string,
  ownerIds: readonly string[],
): Promise<LeveledRule[]> =>
  (await store.findRules(db, teamId, ownerIds)).map((row) => ({
    ...ruleDto(row),
    level: row.level as LeveledRule['level'],
  }))

const maxRules = 1_000

export const addRule = (ctx: Ctx, owner: RuleOwner, input: RuleInput, defaults: Partial<RuleInput> = {}) =>
  ctx.tx(async (ctx): Promise<Rule> => {
    const kind = input.kind ?? defaults.kind ?? 'Tool'
    const selector = input.selector || (defaults.selector ?? '')
    if (selector === '') throw fail('validation_error', 'selector is required')
    if (input.effect === 'allow') assertMayApprove(ctx)
    if ((await store.countRules(ctx.db, owner.teamId, owner.id)) >= maxRules)
      throw fail('validation_error', `The resource already has ${maxRules} rules`)
    const row = await store.insertRule(ctx.db, {
      id: newId(),
      team_id: owner.teamId,
      level: owner.level,
      owner_id: owner.id,
      effect: input.effect,
      kind,
      selector,
      specifier: input.specifier ?? '',
      label: input.label ?? '',
      created_by: ctx.actor.userId,
      created_at: ctx.now().toISOString(),
    })
    await audit(ctx, 'tool_rule.created', owner, row)
    return ruleDto(row)
  })

export const removeRule = (ctx: Ctx, owner: RuleOwner, id: string): Promise<{ success: boolean }> =>
  ctx.tx(async (ctx) => {
    const row = await store.findRule(ctx.db, owner.teamId, owner.id, id)
    if (!row) throw fail('not_found', 'Rule not found')
    if (row.effect !== 'allow') assertMayApprove(ctx)
    await store.deleteRule(ctx.db, owner.teamId, row.id)
    await audit(ctx, 'tool_rule.deleted', owner, row)
    return { success: true }
  })

/**
 * Moves rules to another workspace: rules that ask or deny always, rules that allow only with a person's own sign-in.
 */
export const moveRules = async (ctx: Ctx, owner: RuleOwner, toTeamId: string): Promise<void> => {
  if (!hasScope(ctx.actor, 'approvals:write')) await store.deleteAllowing(ctx.db, owner.teamId, owner.id)
  await store.moveRules(ctx.db, owner.teamId, owner.id, toTeamId)
}

const audit = (ctx: Ctx, action: string, owner: RuleOwner, { id, effect, kind, selector }: store.RuleRow) =>
  recordAudit(ctx, action, {
    resourceType: owner.level,
    resourceId: owner.id,
    teamId: owner.teamId,
    meta: { rule_id: id, effect, kind, selector },
  })

/** Deletes the rules of a deleted owner. */
export const deleteRulesOf = store.deleteRulesOf
