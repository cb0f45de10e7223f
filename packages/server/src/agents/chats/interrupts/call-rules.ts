// Decides whether a call is allowed, from its tool and the rules of the chat, the agent and its version.
import { type CallSubject, evaluateRules, type LeveledRule, rulesFor } from '#accounts/approvals/service.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { agentDataOf } from '../dto.ts'
import { checkCall, subjectOf } from '../loop/calls.ts'
import type { LoopEvent } from '../loop/decide.ts'
import { changeCall, type Scene } from '../runs/scene.ts'
import type { OfferedTool } from '../tools/offered.ts'
import { toolsOfRun } from '../tools/requested.ts'

/** The tools of the run, loaded at most once a step and only if a call needs them. */
export const toolsOf = (ctx: Ctx<Actor>, scene: Scene) => {
  let loaded: Promise<Map<string, OfferedTool>> | undefined
  return () => {
    loaded ??= toolsOfRun(ctx, scene)
    return loaded
  }
}

export type RuleSources = { tools: () => Promise<Map<string, OfferedTool>>; rules: () => Promise<LeveledRule[]> }

export const rulesOf = (ctx: Ctx<Actor>, scene: Scene) => {
  let loaded: Promise<LeveledRule[]> | undefined
  const load = async (): Promise<LeveledRule[]> => {
    const { chat, version } = scene
    const owners = [chat.id, ...(chat.agent_id === null ? [] : [chat.agent_id])]
    const stored = await rulesFor(ctx.db, chat.team_id, owners)
    // A sub-agent inherits the ask and deny rules of its parent, but not the allow rules.
    const above = chat.root_id === chat.id ? [] : await rulesFor(ctx.db, chat.team_id, [chat.root_id])
    const own = (version.config.permissions.rules ?? []).map(
      (rule, index): LeveledRule => ({
        id: `${version.id}:${index}`,
        level: 'agent',
        effect: rule.effect,
        kind: rule.kind ?? 'Tool',
        selector: rule.selector ?? '',
        specifier: rule.specifier ?? '',
      }),
    )
    // Allow rules of a published agent apply only in its own workspace.
    const isOwnVersion = version.team_id === chat.team_id
    return [
      ...stored,
      ...above.filter(({ effect }) => effect !== 'allow'),
      ...own.filter(({ effect }) => isOwnVersion || effect !== 'allow'),
    ]
  }
  return () => {
    loaded ??= load()
    return loaded
  }
}

/** Rules of the machine that runs the command, in addition to those of the chat and agent. */
export const machineRules = (
  ctx: Ctx<Actor>,
  teamId: string,
  { kind, selector }: CallSubject,
): Promise<LeveledRule[]> => (kind === 'RemoteExec' ? rulesFor(ctx.db, teamId, [selector]) : Promise.resolve([]))

export const decideCall = async (
  ctx: Ctx<Actor>,
  scene: Scene,
  callId: string,
  override: unknown,
  step: RuleSources,
): Promise<LoopEvent[]> => {
  const call = scene.calls.get(callId)
  if (!call) return []
  const tool = (await step.tools()).get(call.name)
  if (override !== undefined) {
    const checked = checkCall({ callId, name: call.name, arguments: override as Record<string, unknown> }, tool)
    if (checked.fault !== undefined)
      return [{ type: 'call_ended', callId, ended: { status: 'failed', result: checked.fault } }]
    changeCall(scene, callId, { arguments: override })
  }
  const subject = subjectOf(call.name, tool, scene.calls.get(callId)?.arguments)
  const rules = [...(await step.rules()), ...(await machineRules(ctx, scene.chat.team_id, subject))]
  const decision = evaluateRules(subject, rules, {
    allowAllTools: agentDataOf(scene.chat).allow_all_tools,
    requireApproval: tool?.requireApproval === true,
  })
  changeCall(scene, callId, { allowed_by: decision.by })
  return [{ type: 'judged', callId, decision: decision.decision }]
}
