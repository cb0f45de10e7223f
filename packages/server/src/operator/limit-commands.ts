// `millrace admin ip-block` and `entitlement`: who may come in, and how much a workspace may have.
import { forgetCredentials } from '../access/service.ts'
import { notify } from '../db/notify.ts'
import { blocksChannel } from '../http/block-requests.ts'
import { parseNetwork } from '../outbound/networks.ts'
import { setEntitlement } from '../plans/service.ts'
import { operatorCtx, teamNamed } from './acting.ts'
import { deleteBlock, listBlocks, upsertBlock } from './store.ts'
import { type Command, required, UsageError } from './words.ts'

export const ipBlock: Command = {
  usage: 'ip-block add NETWORK [--reason TEXT] | remove NETWORK | list',
  summary: 'Block addresses before authentication, and lift blocks',
  run: async (open, { positionals: [verb, text = ''], options }) => {
    const { db } = open.platform
    if (verb === 'list') {
      const rows = await listBlocks(db)
      return { text: rows.map((row) => `${row.network}  ${row.reason}`).join('\n') || 'No blocks', json: rows }
    }
    if (verb !== 'add' && verb !== 'remove') throw new UsageError('ip-block: add, remove or list')
    if (!parseNetwork(text)) throw new UsageError(`"${text}" is neither an address nor a network`)
    if (verb === 'add') {
      await upsertBlock(db, text, typeof options.reason === 'string' ? options.reason : '')
    } else if (!(await deleteBlock(db, text))) {
      throw new UsageError(`${text} is not blocked; see ip-block list`)
    }
    await notify(db, blocksChannel, '')
    return {
      text: `${verb === 'add' ? 'Blocked' : 'Lifted'} ${text}`,
      json: { network: text, blocked: verb === 'add' },
    }
  },
}

export const entitlement: Command = {
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
    await operatorCtx(open, team.id).tx(async (ctx) => {
      await setEntitlement(ctx, team.id, resource, limit)
      await forgetCredentials(ctx, team.id)
    })
    return { text: `${team.username}: ${resource} = ${limitText}`, json: { team_id: team.id, resource, limit } }
  },
}
