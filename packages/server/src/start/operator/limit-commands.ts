// `millrace admin ip-block` and `entitlement`: blocked addresses and limits of workspaces.

import { setEntitlement } from '#accounts/plans/service.ts'
import { allIpBlocks, blockNetwork, liftBlockOf } from '#surfaces/installation/service.ts'
import { operatorCtx, teamNamed } from './acting.ts'
import { type OperatorCommand, required, UsageError } from './command.ts'

export const ipBlock: OperatorCommand = {
  usage: 'ip-block add NETWORK [--reason TEXT] | remove NETWORK | list',
  summary: 'Block addresses before authentication, and remove blocks',
  run: async (open, { positionals: [verb, network = ''], options: { reason } }) => {
    const ctx = operatorCtx(open)
    if (verb === 'list') {
      const blocks = await allIpBlocks(ctx)
      return {
        text: blocks.map((block) => `${block.network}  ${block.reason}`).join('\n') || 'No blocks',
        json: blocks,
      }
    }
    if (verb !== 'add' && verb !== 'remove') throw new UsageError('ip-block: add, remove or list')
    if (verb === 'add') await blockNetwork(ctx, { network, reason: typeof reason === 'string' ? reason : '' })
    else await liftBlockOf(ctx, network)
    return { text: `${verb === 'add' ? 'Blocked' : 'Lifted'} ${network}`, json: { network, blocked: verb === 'add' } }
  },
}

export const entitlement: OperatorCommand = {
  usage: 'entitlement set --team NAME --resource R --limit N|unlimited',
  summary: 'Override a limit of a workspace',
  run: async (open, words) => {
    if (words.positionals[0] !== 'set') throw new UsageError('entitlement: the only subcommand is set')
    const team = await teamNamed(open, required(words, 'team'))
    const limitText = required(words, 'limit')
    const limit = limitText === 'unlimited' ? null : Number(limitText)
    if (limit !== null && !(Number.isInteger(limit) && limit >= 0))
      throw new UsageError('--limit must be a whole number or "unlimited"')
    const resource = required(words, 'resource')
    await setEntitlement(operatorCtx(open, team.id), team.id, resource, limit)
    return { text: `${team.username}: ${resource} = ${limitText}`, json: { team_id: team.id, resource, limit } }
  },
}
