// Always-allow rules for a tool call: the options, from the narrowest to the widest, and their creation.
import type { Rule } from '@millrace/contract/agents'
import type { AlwaysAllow, AlwaysAllowOption, AlwaysAllowOptions } from '@millrace/contract/chat-answers'
import { addRule, type CallSubject, evaluateRules } from '#accounts/approvals/service.ts'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { assertChatReadable } from '../access.ts'
import { refreshAllowed } from '../changes.ts'
import { agentDataOf } from '../dto.ts'
import { subjectOf } from '../loop/calls.ts'
import { drive } from '../runs/drive.ts'
import { openScene, type Scene } from '../runs/scene.ts'
import * as store from '../store.ts'
import { toolsOfRun } from '../tools/requested.ts'
import { approve, isOpenCall, notPending, sceneOfCall } from './answers.ts'
import { machineRules, rulesOf } from './call-rules.ts'

type Ctxm = Ctx<Member>

const subjectOfCall = async (ctx: Ctxm, scene: Scene, call: store.CallRow) => {
  if (!scene.run) throw notPending()
  const tool = (await toolsOfRun(ctx, scene)).get(call.name)
  return { subject: subjectOf(call.name, tool, call.arguments), tool }
}

/** From the narrowest to the widest. */
const optionsFor = (subject: CallSubject, name: string): AlwaysAllowOption[] => {
  const option = (scope: AlwaysAllowOption['scope'], label: string, specifier: string): AlwaysAllowOption => ({
    key: scope,
    scope,
    label,
    rules: [{ effect: 'allow', kind: subject.kind, selector: subject.selector, specifier }],
  })
  if (subject.kind === 'MCP') return [option('tool', `Always allow ${name}`, subject.text)]
  if (subject.kind === 'RemoteExec') {
    const [program = ''] = subject.text.split(' ')
    return [
      option('exact', `Always allow: ${subject.text}`, subject.text),
      option('prefix', `Always allow commands that start with ${program}`, `${program} *`),
      option('tool', 'Always allow every command on this machine', '*'),
    ]
  }
  const exact = option('exact', `Always allow ${name} with exactly these arguments`, subject.text)
  return [...(subject.text === '{}' ? [] : [exact]), option('tool', `Always allow ${name}`, '')]
}

/** Only options whose rule would take effect: none if an ask or deny rule would still win. */
const usefulOptions = async (ctx: Ctxm, scene: Scene, call: store.CallRow): Promise<AlwaysAllowOption[]> => {
  const { subject, tool } = await subjectOfCall(ctx, scene, call)
  const rules = [...(await rulesOf(ctx, scene)()), ...(await machineRules(ctx, scene.chat.team_id, subject))]
  const isPassed = (option: AlwaysAllowOption): boolean => {
    const added = option.rules.map((rule, index) => ({
      id: `option:${index}`,
      level: 'chat' as const,
      effect: 'allow' as const,
      kind: rule.kind ?? 'Tool',
      selector: rule.selector ?? '',
      specifier: rule.specifier ?? '',
    }))
    const switches = {
      allowAllTools: agentDataOf(scene.chat).allow_all_tools,
      requireApproval: tool?.requireApproval === true,
    }
    return evaluateRules(subject, [...rules, ...added], switches).decision === 'allow'
  }
  return optionsFor(subject, call.name).filter(isPassed)
}

/** The whole tool; for a command on a machine only that command. */
const defaultOf = (options: readonly AlwaysAllowOption[]): AlwaysAllowOption | undefined =>
  options[0]?.rules[0]?.kind === 'RemoteExec' ? options[0] : options.at(-1)

export const alwaysAllowOptions = (ctx: Ctxm, chatId: string, id: string): Promise<AlwaysAllowOptions> =>
  ctx.tx(async (ctx) => {
    const { scene, call } = await sceneForReading(ctx, chatId, id)
    const options = isOpenCall(scene, call, 'awaiting_approval') ? await usefulOptions(ctx, scene, call) : []
    return { options, default: defaultOf(options)?.key ?? '' }
  })

const sceneForReading = async (ctx: Ctxm, chatId: string, id: string) => {
  const chat = await assertChatReadable(ctx, await store.findChat(ctx.db, chatId))
  const call = await store.findCall(ctx.db, id)
  const scene = call?.chat_id === chat.id ? await openScene(ctx, chat.id) : undefined
  if (!call || !scene) throw fail('not_found', 'Tool call not found')
  return { scene, call }
}

export const alwaysAllow = (ctx: Ctxm, chatId: string, id: string, body: AlwaysAllow): Promise<{ rules: Rule[] }> =>
  ctx.tx(async (ctx) => {
    const { scene, call } = await sceneOfCall(ctx, id, chatId)
    if (!isOpenCall(scene, call, 'awaiting_approval')) throw notPending()
    const options = await usefulOptions(ctx, scene, call)
    if (options.length === 0)
      throw fail('not_always_allowable', 'Another rule would still require approval for this call')
    const chosen = body.option ? options.find(({ key }) => key === body.option) : defaultOf(options)
    if (!chosen) throw fail('option_stale', 'This option is no longer available')
    const rules: Rule[] = []
    for (const { effect = 'allow', kind, selector, specifier } of chosen.rules)
      rules.push(
        await addRule(
          ctx,
          { level: 'chat', id: scene.chat.id, teamId: scene.chat.team_id },
          { effect, kind, selector, specifier, label: chosen.label },
        ),
      )
    await refreshAllowed(ctx, scene)
    await drive(ctx, scene, await approve(ctx, scene, call.id))
    return { rules }
  })
