// Decides whether a tool call may run without approval. Deny has precedence over ask, ask over allow, on all levels;
// then the settings of the chat and the tool apply. Pure.
import type { Rule } from '@millrace/contract/agents'

export type LeveledRule = Pick<Rule, 'effect' | 'kind' | 'selector' | 'specifier'> & {
  id: string
  level: 'chat' | 'agent' | 'remote'
}

/** A call as the rules see it: its kind, its target, and its exact content. */
export type CallSubject = {
  kind: Rule['kind']
  selector: string
  text: string
  /** The call also sets what the text does not show and what can change its effect, such as environment variables. */
  setsMore?: boolean
}

export type RuleDecision = {
  decision: 'allow' | 'ask' | 'deny'
  /** The reason: the rule, or the setting of the chat or tool. */
  by: { kind: 'rule'; rule_id: string; level: LeveledRule['level'] } | { kind: 'allow_all_tools' | 'tool' | 'default' }
}

const matchesAll = (specifier: string): boolean => specifier === '' || specifier === '*'

/**
 * An empty specifier or `*` matches everything; one that ends in `*` matches a prefix; any other matches the whole
 * text.
 */
export const specifierMatches = (specifier: string, text: string): boolean => {
  if (matchesAll(specifier)) return true
  return specifier.endsWith('*') ? text.startsWith(specifier.slice(0, -1)) : text === specifier
}

/** With `LD_PRELOAD` or `PATH`, an allowed text runs any program, so only a rule that allows everything allows it. */
const allowsMore = (
  { effect, specifier }: Pick<LeveledRule, 'effect' | 'specifier'>,
  { setsMore }: CallSubject,
): boolean => effect !== 'allow' || setsMore !== true || matchesAll(specifier)

const ruleMatches = (rule: LeveledRule, subject: CallSubject): boolean =>
  rule.kind === subject.kind &&
  (rule.selector === subject.selector || rule.selector === '*') &&
  specifierMatches(rule.specifier, subject.text) &&
  allowsMore(rule, subject)

const effects = ['deny', 'ask', 'allow'] as const
const levels = ['chat', 'agent', 'remote'] as const

export const evaluateRules = (
  subject: CallSubject,
  rules: readonly LeveledRule[],
  { allowAllTools, requireApproval }: { allowAllTools: boolean; requireApproval: boolean },
): RuleDecision => {
  const matching = rules.filter((rule) => ruleMatches(rule, subject))
  for (const effect of effects)
    for (const level of levels) {
      const rule = matching.find((one) => one.effect === effect && one.level === level)
      if (rule) return { decision: effect, by: { kind: 'rule', rule_id: rule.id, level } }
    }
  if (allowAllTools) return { decision: 'allow', by: { kind: 'allow_all_tools' } }
  if (requireApproval) return { decision: 'ask', by: { kind: 'tool' } }
  // A command on a person's machine always needs approval.
  if (subject.kind === 'RemoteExec') return { decision: 'ask', by: { kind: 'default' } }
  return { decision: 'allow', by: { kind: 'default' } }
}
