// The operator's commands: each is a function of the open platform and its parsed words, and returns what to print.
import { newId } from '@millrace/contract/ids'
import { sql } from 'kysely'
import { createKey as createKeyFor, forgetCredentials, verifyAuditOf } from '../access/service.ts'
import { shippedAppsAreThere } from '../apps/service.ts'
import { verifyLedger } from '../billing/service.ts'
import type { Member, TeamRole } from '../core/actor.ts'
import { type Ctx, createCtx } from '../core/ctx.ts'
import { recordAudit } from '../db/audit.ts'
import type { Db } from '../db/database.ts'
import { notify } from '../db/notify.ts'
import { blocksChannel } from '../http/block-requests.ts'
import { findTeamByUsername, findUserByEmail, setUserRole } from '../identity/accounts-store.ts'
import { addMember, createSession, createTeam, ensureAccount, issueSignInLink } from '../identity/service.ts'
import { platformKeyTeam } from '../keyring/keyring.ts'
import { rotateDataKey, rotateMasterKey } from '../keyring/rotation.ts'
import { parseNetwork } from '../outbound/networks.ts'
import { setEntitlement } from '../plans/service.ts'
import type { OpenPlatform } from '../platform.ts'
import { countDisagreements, reindex } from '../search/service.ts'
import { backup, restore } from './backup-commands.ts'
import { doctor } from './doctor.ts'
import { type Command, UsageError, type Words } from './words.ts'

/** Where no server runs, nothing comes to wait for. */
const shippedAppsLimitMs = 4_000

const required = (words: Words, name: string): string => {
  const value = words.options[name]
  if (typeof value !== 'string' || value === '') throw new UsageError(`--${name} is required`)
  return value
}

const optional = (words: Words, name: string): string | undefined => {
  const value = words.options[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const teamRole = (text: string | undefined): TeamRole => {
  if (text === undefined) return 'member'
  if (text === 'owner' || text === 'admin' || text === 'member') return text
  throw new UsageError('--role must be owner, admin or member')
}

/** The operator acts from outside: audited as such, with no workspace of its own. */
const operatorCtx = (open: OpenPlatform, teamId = '', onBehalf: Partial<Member> = {}): Ctx<Member> =>
  createCtx(open.platform, {
    kind: 'operator',
    credentialId: 'cli',
    userId: '',
    teamId,
    role: 'owner',
    isPerson: false,
    personalTeam: false,
    orgId: null,
    orgAdmin: false,
    grant: { kind: 'everything' },
    platform: 'powered',
    inPlatformTeam: false,
    expiresAtMs: null,
    ...onBehalf,
  })

const teamNamed = async (open: OpenPlatform, username: string) => {
  const team = await findTeamByUsername(open.platform.db, username)
  if (!team) throw new UsageError(`There is no team ${username}`)
  return team
}

const signIn: Command = {
  usage: 'sign-in --email a@b.c [--team NAME] [--role owner|admin|member]',
  summary: 'Create the account if missing and print a session token and a sign-in link',
  run: async (open, words) => {
    const email = required(words, 'email')
    const teamName = optional(words, 'team')
    const role = teamRole(optional(words, 'role'))
    const { isFirst, ...answer } = await operatorCtx(open).tx(async (ctx) => {
      const { user, isNew } = await ensureAccount(ctx, email)
      const team = await teamFor(ctx, user.id, user.default_team_id ?? '', teamName, role)
      const session = await createSession(ctx, {
        userId: user.id,
        kind: 'token',
        authMethod: 'operator',
        teamId: team.id,
        elevated: user.role === 'admin',
      })
      const sign_in_url = await issueSignInLink(ctx, user.email ?? email)
      return {
        isFirst: isNew && user.role === 'admin',
        user_id: user.id,
        team_id: team.id,
        namespace: team.username,
        session_token: session.secret,
        sign_in_url,
      }
    })
    // With the first account a running server deploys what ships; the next line that is typed may ask for it.
    if (isFirst) await shippedAppsAreThere(open.platform.db, shippedAppsLimitMs)
    const text = `Signed in ${email} to ${answer.namespace}\n\n  Session token  ${answer.session_token}\n  Sign-in link   ${answer.sign_in_url}`
    return { text, json: answer }
  },
}

const teamFor = async (
  ctx: Ctx<Member>,
  userId: string,
  personalTeamId: string,
  name: string | undefined,
  role: TeamRole,
) => {
  if (name === undefined) {
    return ctx.db
      .selectFrom('teams')
      .select(['id', 'username'])
      .where('id', '=', personalTeamId)
      .limit(1)
      .executeTakeFirstOrThrow()
  }
  const known = await findTeamByUsername(ctx.db, name)
  if (!known) return createTeam(ctx, userId, { name, username: name })
  if ((await roleIn(ctx.db, known.id, userId)) === undefined) {
    await addMember(ctx, known.id, userId, role)
    await forgetCredentials(ctx, userId)
  }
  return known
}

const roleIn = async (db: Db, teamId: string, userId: string): Promise<TeamRole | undefined> => {
  const membership = await db
    .selectFrom('team_members')
    .select('role')
    .where('team_id', '=', teamId)
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst()
  return membership && teamRole(membership.role)
}

const grantPlatform: Command = {
  usage: 'grant-platform --email a@b.c',
  summary: 'Make an existing account a platform administrator',
  run: async (open, words) => {
    const email = required(words, 'email').trim().toLowerCase()
    const user = await findUserByEmail(open.platform.db, email)
    if (!user) throw new UsageError(`There is no account ${email}`)
    await operatorCtx(open).tx(async (ctx) => {
      await setUserRole(ctx.db, user.id, 'admin')
      await recordAudit(ctx, 'user.platform_granted', { resourceType: 'user', resourceId: user.id })
      await forgetCredentials(ctx, user.id)
    })
    return { text: `${email} is a platform administrator`, json: { user_id: user.id, role: 'admin' } }
  },
}

const searchIndex: Command = {
  usage: 'reindex',
  summary: 'Make the search index anew from what it is made of; the server may be running',
  run: async (open) => {
    const rows = await reindex(open.platform.db)
    const wrong = await countDisagreements(open.platform.db)
    return { text: `${rows} rows were indexed; ${wrong} differ from the index`, json: { rows, wrong } }
  },
}

const createKey: Command = {
  usage: 'keys create --email a@b.c --team NAME [--name TEXT] [--scopes a:read,b:write] [--expires-in SECONDS]',
  summary: 'Create an API key for an account in a team and print it once',
  run: async (open, words) => {
    if (words.positionals[0] !== 'create') throw new UsageError('keys: the only subcommand is create')
    const email = required(words, 'email').trim().toLowerCase()
    const team = await teamNamed(open, required(words, 'team'))
    const user = await findUserByEmail(open.platform.db, email)
    if (!user) throw new UsageError(`There is no account ${email}`)
    const role = await roleIn(open.platform.db, team.id, user.id)
    if (role === undefined) throw new UsageError(`${email} is not a member of ${team.username}`)
    const seconds = optional(words, 'expires-in')
    if (seconds !== undefined && !/^[1-9]\d{0,9}$/.test(seconds))
      throw new UsageError('--expires-in must be a number of seconds')
    // The account's own key: bound by the same rules as if its owner had made it.
    const ctx = operatorCtx(open, team.id, {
      userId: user.id,
      role,
      isPerson: true,
      personalTeam: team.type === 'personal',
      platform: 'not_staff',
      inPlatformTeam: team.is_platform,
    })
    const made = await createKeyFor(ctx, {
      name: optional(words, 'name') ?? 'operator',
      scopes: optional(words, 'scopes')?.split(',') ?? [],
      ...(seconds === undefined
        ? {}
        : { expires_at: new Date(ctx.now().getTime() + Number(seconds) * 1000).toISOString() }),
    })
    return { text: made.key, json: { id: made.id, team_id: team.id, key: made.key } }
  },
}

const ipBlock: Command = {
  usage: 'ip-block add NETWORK [--reason TEXT] | remove NETWORK | list',
  summary: 'Block addresses before authentication, and lift blocks',
  run: async (open, { positionals: [verb, text = ''], options }) => {
    const { db } = open.platform
    if (verb === 'list') {
      const rows = await db
        .selectFrom('ip_blocks')
        .select(['network', 'reason', 'created_at'])
        .orderBy('network')
        .execute()
      return { text: rows.map((row) => `${row.network}  ${row.reason}`).join('\n') || 'No blocks', json: rows }
    }
    if (verb !== 'add' && verb !== 'remove') throw new UsageError('ip-block: add, remove or list')
    if (!parseNetwork(text)) throw new UsageError(`"${text}" is neither an address nor a network`)
    const network = sql<string>`network(${text}::inet)::cidr`
    if (verb === 'add') {
      const reason = typeof options.reason === 'string' ? options.reason : ''
      await db
        .insertInto('ip_blocks')
        .values({ id: newId(), network, reason })
        .onConflict((conflict) => conflict.column('network').doUpdateSet({ reason }))
        .execute()
    } else {
      const lifted = await db.deleteFrom('ip_blocks').where('network', '=', network).executeTakeFirst()
      if (lifted.numDeletedRows === 0n) throw new UsageError(`${text} is not blocked; see ip-block list`)
    }
    await notify(db, blocksChannel, '')
    return {
      text: `${verb === 'add' ? 'Blocked' : 'Lifted'} ${text}`,
      json: { network: text, blocked: verb === 'add' },
    }
  },
}

const entitlement: Command = {
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

const auditCheck: Command = {
  usage: 'verify-audit',
  summary:
    'Check the audit log against its chain and the signed witnesses in the data folder; names the first broken row',
  run: async (open) => {
    const verdict = await verifyAuditOf(open.platform)
    const text = verdict.ok
      ? `The audit log is intact: ${verdict.rows} rows`
      : verdict.reason === 'forged_checkpoint'
        ? `Line ${verdict.seq} of audit-checkpoints.jsonl was not signed with this installation's master key`
        : `The audit log is broken at row ${verdict.seq} (${verdict.id}): ${verdict.reason}`
    return verdict.ok ? { text, json: verdict } : { text, json: verdict, failed: true }
  },
}

const ledgerCheck: Command = {
  usage: 'verify-ledger',
  summary: 'Check every account: chain, sums and balances; names the first transaction that is wrong',
  run: async (open) => {
    const verdict = await verifyLedger(open.platform.db)
    const text = verdict.ok
      ? `The ledger is intact: ${verdict.transactions} transactions in ${verdict.accounts} accounts`
      : `The ledger of ${verdict.team_id} is broken at transaction ${verdict.seq} (${verdict.id}): ${verdict.reason}`
    return verdict.ok ? { text, json: verdict } : { text, json: verdict, failed: true }
  },
}

const rotateMaster: Command = {
  usage: 'rotate-master-key',
  summary: 'Seal every data key with a new master key while the server works; finishes a rotation that was cut short',
  run: async (open) => {
    const done = await rotateMasterKey(open)
    const what = done.resumed ? 'Finished the rotation that was under way' : 'Rotated the master key'
    return { text: `${what}: ${done.resealed} data keys sealed again (${done.master_key_id})`, json: done }
  },
}

const rotateData: Command = {
  usage: 'rotate-data-key --team NAME',
  summary: 'Give a team a new data key and seal its values again; with the platform’s team also the platform’s own',
  run: async (open, words) => {
    const team = await teamNamed(open, required(words, 'team'))
    const done = await rotateDataKey(open, team.id)
    const own = team.is_platform ? await rotateDataKey(open, platformKeyTeam) : null
    const resealed = done.resealed + (own?.resealed ?? 0)
    return { text: `${team.username}: ${resealed} values sealed again`, json: { ...done, resealed } }
  },
}

export const commands: Readonly<Record<string, Command>> = {
  'sign-in': signIn,
  'grant-platform': grantPlatform,
  keys: createKey,
  'ip-block': ipBlock,
  entitlement,
  'verify-audit': auditCheck,
  'verify-ledger': ledgerCheck,
  'rotate-master-key': rotateMaster,
  'rotate-data-key': rotateData,
  reindex: searchIndex,
  backup,
  restore,
  doctor,
}
