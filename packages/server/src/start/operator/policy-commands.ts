// `millrace admin usage-policy`: what a workspace may use.
import {
  clearPolicy,
  getPolicy,
  type PolicyPatterns,
  policyKinds,
  readPatterns,
  setPolicy,
  shownPatterns,
} from '#accounts/usage-policies/service.ts'
import { operatorCtx, teamNamed } from './acting.ts'
import { type CommandArguments, type OperatorCommand, optional, required, UsageError } from './command.ts'

const readReach = (words: CommandArguments): PolicyPatterns => {
  const lists = policyKinds.map((kind) => {
    const read = readPatterns(optional(words, kind) ?? 'all')
    if ('wrong' in read)
      throw new UsageError(`--${kind}: "${read.wrong}" is not all, none, own, NAMESPACE/NAME or NAMESPACE/*`)
    return [kind, read.patterns] as const
  })
  if (lists.every(([, patterns]) => patterns === null))
    throw new UsageError('usage-policy set: the policy would allow everything; pass a list, or use clear')
  return Object.fromEntries(lists) as PolicyPatterns
}

const shown = (reach: PolicyPatterns): string =>
  policyKinds.map((kind) => `${kind}: ${shownPatterns(reach[kind])}`).join('  ')

export const usagePolicy: OperatorCommand = {
  usage:
    'usage-policy set --team NAME [--apps LIST] [--agents LIST] [--mcps LIST] [--knowledge LIST] [--flows LIST] | show --team NAME | clear --team NAME',
  summary: 'Set what a workspace can use: all, none, or a comma-separated list of own, NAMESPACE/NAME and NAMESPACE/*',
  run: async (open, words) => {
    const [verb] = words.positionals
    if (verb !== 'set' && verb !== 'show' && verb !== 'clear') throw new UsageError('usage-policy: set, show or clear')
    const team = await teamNamed(open, required(words, 'team'))
    const ctx = operatorCtx(open, team.id)
    if (verb === 'clear') {
      await clearPolicy(ctx, team.id)
      return { text: `${team.username}: no usage policy`, json: { team_id: team.id, usage_policy_id: null } }
    }
    if (verb === 'set') {
      const reach = readReach(words)
      const { id, teams } = await setPolicy(ctx, team.id, reach)
      const text = `${team.username}: ${shown(reach)}${teams > 1 ? `  (${teams} workspaces)` : ''}`
      return { text, json: { team_id: team.id, usage_policy_id: id, workspaces: teams, ...reach } }
    }
    const policy = await getPolicy(ctx, team.id)
    return policy === 'none'
      ? { text: `${team.username}: no usage policy`, json: { team_id: team.id, usage_policy_id: null } }
      : {
          text: `${team.username}: ${shown(policy.reach)}`,
          json: { team_id: team.id, usage_policy_id: policy.id, ...policy.reach },
        }
  },
}
