// Rules of auth providers. Workspace admins change workspace providers, platform operators change platform providers.
import type {
  AuthProvider,
  AuthSpec,
  AuthSpecInput,
  CreateAuthProvider,
  UpdateAuthProvider,
} from '@millrace/contract/auth-providers'
import { newId } from '@millrace/contract/ids'
import { clientIdKeyOf, clientSecretKeyOf, isProviderSlug } from '@millrace/contract/providers'
import { isPlatformAdmin, isTeamAdmin } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { normaliseWebsite } from '../secrets/service.ts'
import { refreshAppStatus, removeApp, writeApp } from './apps.ts'
import { authProviderDto } from './dto.ts'
import { assertAddresses } from './endpoints.ts'
import { companyIcon, findIcon, queueIcon } from './icons.ts'
import { endConnections, noRevocation } from './moves.ts'
import { refuseSlug, stepsOf } from './rules.ts'
import { addressesIn, isProblem, readSpecs, tokenDestinations } from './specs.ts'
import * as store from './store.ts'

type Scope = 'team' | 'platform'

export const list = async (ctx: Ctx, scope: string | undefined): Promise<AuthProvider[]> => {
  const rows =
    scope === 'platform' ? await store.findPlatformRows(ctx.db) : await store.findTeamRows(ctx.db, ctx.actor.teamId)
  return rows.map(authProviderDto)
}

/**
 * Fails unless the provider belongs to the caller's workspace, or the caller is an operator and it belongs to the
 * platform.
 */
const assertReachable = (ctx: Ctx, row: store.ProviderRow | undefined): store.ProviderRow => {
  if (!row || (row.scope === 'team' && row.team_id !== ctx.actor.teamId))
    throw fail('not_found', 'Auth provider not found')
  if (row.scope === 'platform' && !isPlatformAdmin(ctx.actor))
    throw fail('permission_denied', 'Only platform operators can change providers of the platform')
  return row
}

const assertMayManage = ({ actor }: Ctx, scope: Scope): void => {
  if (isPlatformAdmin(actor)) return
  if (scope === 'platform')
    throw fail('permission_denied', 'Only platform operators can change providers of the platform')
  if (!isTeamAdmin(actor)) throw fail('team_role_required', 'This needs the workspace role admin')
}

export const get = async (ctx: Ctx, id: string): Promise<AuthProvider> =>
  authProviderDto(assertReachable(ctx, await store.findById(ctx.db, id)))

const checkedSpecs = async (ctx: Ctx, slug: string, inputs: readonly AuthSpecInput[]): Promise<AuthSpec[]> => {
  const read = readSpecs(slug, inputs)
  if (isProblem(read)) throw fail('validation_error', read.problem)
  await assertAddresses(ctx, addressesIn(read.specs))
  return read.specs
}

const checkedWebsite = (text: string | undefined): string | undefined => {
  if (text === undefined || text === '') return text
  const website = normaliseWebsite(text)
  if (website === null) throw fail('validation_error', '`website` must be a domain or an https:// address')
  return website
}

const checkedCompany = (provider: string | undefined): string | undefined => {
  if (provider !== undefined && provider !== '' && !isProviderSlug(provider))
    throw fail(
      'validation_error',
      '`provider` must be lowercase letters, digits and single hyphens, at most 64 characters',
    )
  return provider === '' ? undefined : provider
}

const checkedAddress = (field: string, address: string | undefined): void => {
  if (!address) return
  if (!URL.canParse(address) || !['https:', 'http:'].includes(new URL(address).protocol))
    throw fail('validation_error', `\`${field}\` must be an http or https address`)
}

/**
 * A workspace provider with OAuth must include its app; other workspace providers may. The platform's app has its own
 * route.
 */
const assertClient = (scope: Scope, specs: readonly AuthSpec[], body: CreateAuthProvider): void => {
  const { client_id, client_secret } = body
  if (scope === 'platform') {
    if (client_id || client_secret)
      throw fail('validation_error', '`client_id` and `client_secret` are set with PUT /credentials/{provider}/app')
    return
  }
  const oauth = specs.filter((spec) => spec.kind === 'oauth2')
  if (oauth.length > 0 && !client_id) throw fail('validation_error', '`client_id` is required')
  if (oauth.some(({ client_auth }) => client_auth !== 'none') && !client_secret)
    throw fail('validation_error', '`client_secret` is required')
}

type Client = Pick<UpdateAuthProvider, 'client_id' | 'client_secret'>

const clientValues = (slug: string, { client_id, client_secret }: Client): Record<string, string> => ({
  ...(client_id ? { [clientIdKeyOf(slug)]: client_id } : {}),
  ...(client_secret ? { [clientSecretKeyOf(slug)]: client_secret } : {}),
})

export const create = async (ctx: Ctx, body: CreateAuthProvider): Promise<AuthProvider> => {
  const { actor } = ctx
  const { slug, scope = 'team' } = body
  assertMayManage(ctx, scope)
  const refusal = refuseSlug(slug, scope)
  if (refusal) throw fail(refusal.code, refusal.detail)
  const specs = await checkedSpecs(ctx, slug, body.specs)
  assertClient(scope, specs, body)
  const company = checkedCompany(body.provider) ?? slug
  const website = checkedWebsite(body.website) ?? ''
  for (const field of ['icon_url', 'docs_url'] as const) checkedAddress(field, body[field])
  const given = body.icon_url ?? ''
  const icon = given || (await iconFor(ctx, scope, { company, website }))
  const now = ctx.now().toISOString()
  return ctx.tx(async (ctx) => {
    const taken = await store.findBySlug(ctx.db, actor.teamId, slug)
    const row =
      taken && (scope === 'team' || taken.scope === 'platform')
        ? undefined
        : await store.insertProvider(ctx.db, {
            id: newId(),
            team_id: scope === 'team' ? actor.teamId : null,
            user_id: actor.userId,
            slug,
            provider: company,
            display_name: body.display_name.trim(),
            icon_url: icon,
            icon_given: given !== '',
            website,
            description: body.description ?? '',
            docs_url: body.docs_url ?? '',
            how_it_works: stepsOf(body.how_it_works) ?? [],
            scope,
            connection_scope: body.connection_scope ?? 'team',
            specs: JSON.stringify(specs),
            mcp_server_url: null,
            created_at: now,
            updated_at: now,
          })
    if (!row) throw fail('conflict', `The slug ${slug} is taken`)
    const values = clientValues(slug, body)
    if (Object.keys(values).length > 0) await writeApp(ctx, row, scope, values)
    await afterWrite(ctx, row)
    await audit(ctx, 'auth_provider.created', row)
    return authProviderDto(row)
  })
}

/** Operators wait for the lookup; workspace rows get their icon later. */
const iconFor = (ctx: Ctx, scope: Scope, card: { company: string; website: string }): Promise<string> =>
  scope === 'platform' ? findIcon(ctx, card) : companyIcon(ctx, card.company)

const afterWrite = async (ctx: Ctx, row: store.ProviderRow): Promise<void> => {
  if (row.scope === 'team') {
    if (row.icon_url === '' && row.website !== '') await queueIcon(ctx, row.id)
    return
  }
  if (row.website === '' || row.icon_given) return
  const { provider: slug, display_name, website, icon_url } = row
  await store.saveCompany(ctx.db, { slug, display_name, type: 'oauth', website, icon_url }, ctx.now().toISOString())
}

/** The icon after a change: a provided icon stays; an empty icon, or one of a previous website, is looked up again. */
const nextIcon = async (
  ctx: Ctx,
  row: store.ProviderRow,
  change: { icon_url: string | undefined; website: string; company: string },
): Promise<{ icon_url: string; icon_given: boolean }> => {
  if (change.icon_url) return { icon_url: change.icon_url, icon_given: true }
  const emptied = change.icon_url === ''
  if (row.icon_given && !emptied) return { icon_url: row.icon_url, icon_given: true }
  const findsIconAgain =
    emptied || row.icon_url === '' || change.website !== row.website || change.company !== row.provider
  if (!findsIconAgain) return { icon_url: row.icon_url, icon_given: false }
  return { icon_url: await iconFor(ctx, row.scope, change), icon_given: false }
}

/** Platform rows are changed by trusted operators, so their connections stay. */
const endMovedConnections = async (
  ctx: Ctx,
  { team_id, slug, specs }: store.ProviderRow,
  next: AuthSpec[] | undefined,
) =>
  next && team_id !== null && tokenDestinations(next) !== tokenDestinations(specs)
    ? endConnections(ctx, { teamId: team_id, slug })
    : noRevocation

export const update = async (ctx: Ctx, id: string, body: UpdateAuthProvider): Promise<AuthProvider> => {
  const found = assertReachable(ctx, await store.findById(ctx.db, id))
  assertMayManage(ctx, found.scope)
  const { slug } = found
  if (body.slug !== undefined && body.slug !== slug) throw fail('validation_error', '`slug` cannot change')
  if (body.scope !== undefined && body.scope !== found.scope) throw fail('validation_error', '`scope` cannot change')
  const specs = body.specs && (await checkedSpecs(ctx, slug, body.specs))
  const company = checkedCompany(body.provider) ?? found.provider
  const website = checkedWebsite(body.website) ?? found.website
  for (const field of ['icon_url', 'docs_url'] as const) checkedAddress(field, body[field])
  const values = clientValues(slug, body)
  if (found.scope === 'platform' && Object.keys(values).length > 0)
    throw fail('validation_error', '`client_id` and `client_secret` are set with PUT /credentials/{provider}/app')
  const icon = await nextIcon(ctx, found, { icon_url: body.icon_url, website, company })
  const now = ctx.now().toISOString()
  const { provider, revokeOld } = await ctx.tx(async (ctx) => {
    const locked = assertReachable(ctx, await store.lockById(ctx.db, found.id))
    const revokeOld = await endMovedConnections(ctx, locked, specs)
    const row = await store.updateProvider(ctx.db, locked.id, {
      provider: company,
      display_name: body.display_name?.trim() ?? locked.display_name,
      ...icon,
      website,
      description: body.description ?? locked.description,
      docs_url: body.docs_url ?? locked.docs_url,
      how_it_works: stepsOf(body.how_it_works) ?? locked.how_it_works,
      connection_scope: body.connection_scope ?? locked.connection_scope,
      ...(specs ? { specs: JSON.stringify(specs) } : {}),
      updated_at: now,
      edited_at: now,
    })
    if (Object.keys(values).length > 0) await writeApp(ctx, row, row.scope, values)
    else if (specs && row.scope === 'team') await refreshAppStatus(ctx, row)
    await afterWrite(ctx, row)
    await audit(ctx, 'auth_provider.updated', row)
    return { provider: authProviderDto(row), revokeOld }
  })
  await revokeOld()
  return provider
}

export const remove = (ctx: Ctx, id: string): Promise<{ deleted: boolean }> =>
  ctx.tx(async (ctx) => {
    const row = assertReachable(ctx, await store.lockById(ctx.db, id))
    assertMayManage(ctx, row.scope)
    if (await store.hasConnection(ctx.db, row.slug, row.team_id))
      throw fail('validation_error', `${row.slug} is still connected; disconnect it first`)
    const now = ctx.now().toISOString()
    await removeApp(ctx, row, row.scope)
    if (row.team_id !== null) await store.deleteConnections(ctx.db, row.team_id, row.slug, now)
    await store.deleteProvider(ctx.db, row.id, now)
    await audit(ctx, 'auth_provider.deleted', row)
    return { deleted: true }
  })

const audit = (ctx: Ctx, action: string, row: store.ProviderRow): Promise<void> =>
  recordAudit(ctx, action, {
    resourceType: 'auth_provider',
    resourceId: row.id,
    meta: { slug: row.slug, scope: row.scope },
  })
