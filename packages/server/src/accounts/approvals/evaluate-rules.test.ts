// Guarantees: deny overrides ask, and ask overrides allow, at every level; without a rule the chat decides, then the
// tool.
import { describe, expect, it } from 'vitest'
import { evaluateRules, type LeveledRule, specifierMatches } from './evaluate-rules.ts'

const rule = (effect: LeveledRule['effect'], level: LeveledRule['level'], specifier = ''): LeveledRule => ({
  id: `${effect}-${level}`,
  effect,
  level,
  kind: 'Tool',
  selector: 'send',
  specifier,
})
const subject = { kind: 'Tool', selector: 'send', text: '{"to":"a"}' } as const
const plain = { allowAllTools: false, requireApproval: false }

describe('judge', () => {
  it.each([
    ['any deny wins', [rule('allow', 'chat'), rule('ask', 'chat'), rule('deny', 'remote')], 'deny'],
    ['then any ask', [rule('allow', 'chat'), rule('ask', 'agent')], 'ask'],
    ['then any allow', [rule('allow', 'agent')], 'allow'],
    ['a rule about other arguments says nothing', [rule('deny', 'chat', '{"to":"b"}')], 'allow'],
    ['a beginning is enough', [rule('deny', 'chat', '{"to"*')], 'deny'],
  ] as const)('%s', (_claim, rules, decision) => {
    expect(evaluateRules(subject, rules, plain).decision).toBe(decision)
  })

  it('names the nearest rule of the effect that won', () => {
    const verdict = evaluateRules(subject, [rule('ask', 'remote'), rule('ask', 'chat')], plain)
    expect(verdict.by).toEqual({ kind: 'rule', rule_id: 'ask-chat', level: 'chat' })
  })

  it('without a rule, the chat comes before the tool, and commands on machines are asked about', () => {
    expect(evaluateRules(subject, [], { allowAllTools: true, requireApproval: true }).decision).toBe('allow')
    expect(evaluateRules(subject, [], { allowAllTools: false, requireApproval: true }).decision).toBe('ask')
    expect(evaluateRules(subject, [], plain).decision).toBe('allow')
    expect(evaluateRules({ ...subject, kind: 'RemoteExec' }, [], plain).decision).toBe('ask')
  })

  it.each([
    ['allow', 'git status', 'ask'],
    ['allow', 'git *', 'ask'],
    ['allow', '*', 'allow'],
    ['allow', '', 'allow'],
    ['deny', 'git *', 'deny'],
  ] as const)('a command with environment variables: %s "%s" gives %s', (effect, specifier, decision) => {
    const command = { kind: 'RemoteExec', selector: 'm', text: 'git status' } as const
    const rules = [{ ...rule(effect, 'chat', specifier), kind: command.kind, selector: 'm' }]
    expect(evaluateRules(command, rules, plain).decision).toBe(effect)
    expect(evaluateRules({ ...command, setsMore: true }, rules, plain).decision).toBe(decision)
  })

  it('specifiers: everything, a beginning, or the whole text', () => {
    expect(specifierMatches('', 'ls')).toBe(true)
    expect(specifierMatches('git *', 'git push')).toBe(true)
    expect(specifierMatches('git', 'git push')).toBe(false)
  })
})
