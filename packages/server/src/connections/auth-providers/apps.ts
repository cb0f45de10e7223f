// OAuth apps: the client id and secret under which a provider knows this installation or a workspace. The values are
// secrets of the workspace that owns the app, named after the slug.
import type { OAuth2Spec } from '@millrace/contract/auth-providers'
import { newId } from '@millrace/contract/ids'
import { clientIdKeyOf, clientSecretKeyOf, type SecretField } from '@millrace/contract/providers'
import { platformTeam } from '#accounts/identity/service.ts'
import { isPlatformAdmin, isTeamAdmin } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { recordAudit } from '#platform/tenancy/audit.ts'
import { deleteInternalSecret, internalSecretValue, storeInternalSecret } from '../secrets/service.ts'
import * as store from './apps-store.ts'
import { endConnections, noRevocation } from './moves.ts'
import type { ProviderRow } from './store.ts'
import { fillAddress, variableHooks, variableKeyOf, variableOf } from './url-variables.ts'

type Provider = Pick<ProviderRow, 'slug' | 'specs' | 'display_name' | 'icon_url'>

export const oauthSpecsOf = ({ specs }: Pick<ProviderRow, 'specs'>): OAuth2Spec[] =>
  specs.filter((spec) => spec.kind === 'oauth2')

const textField = (key: string, label: string, placeholder = ''): SecretField => ({
  key,
  label,
  placeholder,
  sensitive: false,
  optional: false,
})

const clientFields = (slug: string): [id: SecretField, secret: SecretField] => [
  textField(clientIdKeyOf(slug), 'Client ID'),
  { ...textField(clientSecretKeyOf(slug), 'Client secret'), sensitive: true },
]

/** The values an app needs before anyone can sign in with it. */
export const appFields = (provider: Pick<ProviderRow, 'slug' | 'specs'>): SecretField[] => {
  const { slug } = provider
  const specs = oauthSpecsOf(provider)
  if (specs.length === 0) return []
  const isPublic = specs.every((spec) => spec.client_auth === 'none')
  const [id, secret] = clientFields(slug)
  const variables = [...new Set(specs.map((spec) => spec.vars))].flatMap((hook) => variableOf(hook) ?? [])
  return [
    id,
    { ...secret, optional: isPublic },
    ...variables.map((one) => textField(variableKeyOf(slug, one), one.label, one.placeholder)),
  ]
}

/** The values an app may store. A provider without an OAuth spec may store its client in advance. */
const storableFields = (provider: Pick<ProviderRow, 'slug' | 'specs'>): SecretField[] => {
  const fields = appFields(provider)
  return fields.length === 0 ? clientFields(provider.slug) : fields
}

/** All names under which an app of this slug may have stored a value, whatever its current specs. */
const everyKeyOf = (slug: string): string[] => [
  ...clientFields(slug).map(({ key }) => key),
  ...variableHooks.flatMap((hook) => variableOf(hook) ?? []).map((one) => variableKeyOf(slug, one)),
]

export type OauthApp = {
  readonly row: store.AppRow
  readonly clientId: string
  readonly clientSecret: string | null
  /** By variable name, as used in addresses. */
  readonly variables: Readonly<Record<string, string>>
}

type Reader = Pick<Platform, 'db' | 'keyring'>

const openApp = async (
  reader: Reader,
  provider: Pick<ProviderRow, 'slug' | 'specs'>,
  row: store.AppRow,
): Promise<OauthApp | null> => {
  const read = (key: string) => internalSecretValue(reader, row.team_id, key)
  const clientId = await read(clientIdKeyOf(provider.slug))
  if (clientId === null || row.status !== 'connected') return null
  const variables: Record<string, string> = {}
  for (const spec of oauthSpecsOf(provider)) {
    const variable = variableOf(spec.vars)
    const value = variable && (await read(variableKeyOf(provider.slug, variable)))
    if (variable && value) variables[variable.variable] = value
  }
  return { row, clientId, clientSecret: await read(clientSecretKeyOf(provider.slug)), variables }
}

/** The app that a workspace signs in with: its own, or else the platform's. Null when neither is complete. */
export const findApp = async (
  reader: Reader,
  teamId: string,
  provider: Pick<ProviderRow, 'slug' | 'specs'>,
): Promise<OauthApp | null> => {
  const row = await store.findApp(reader.db, teamId, provider.slug)
  return row ? openApp(reader, provider, row) : null
}

/** The app that a connection was made with, even if another one was configured since. */
export const findAppOf = async (
  reader: Reader,
  provider: Pick<ProviderRow, 'slug' | 'specs'>,
  appCredentialId: string,
): Promise<OauthApp | null> => {
  const row = await store.findAppById(reader.db, appCredentialId)
  return row ? openApp(reader, provider, row) : null
}

/** All apps that a workspace could sign in with, in order of precedence. */
export const listApps = ({ db }: Pick<Platform, 'db'>, teamId: string): Promise<store.AppRow[]> =>
  store.findApps(db, teamId)

/** The spec with the app's variables inserted into its addresses. */
export const filledSpec = (spec: OAuth2Spec, { variables }: Pick<OauthApp, 'variables'>): OAuth2Spec => ({
  ...spec,
  token_endpoint: fillAddress(spec.token_endpoint, variables),
  ...(spec.authorization_endpoint
    ? { authorization_endpoint: fillAddress(spec.authorization_endpoint, variables) }
    : {}),
  ...(spec.refresh_endpoint ? { refresh_endpoint: fillAddress(spec.refresh_endpoint, variables) } : {}),
  ...(spec.revocation_endpoint ? { revocation_endpoint: fillAddress(spec.revocation_endpoint, variables) } : {}),
  ...(spec.userinfo_url ? { userinfo_url: fillAddress(spec.userinfo_url, variables) } : {}),
})

/** Validates the values: known names only, no empty values, variables normalized. */
const readValues = (provider: Provider, values: Readonly<Record<string, string>>): Map<string, string> => {
  const fields = new Set(storableFields(provider).map(({ key }) => key))
  const readers = new Map(
    oauthSpecsOf(provider).flatMap((spec) => {
      const variable = variableOf(spec.vars)
      return variable ? [[variableKeyOf(provider.slug, variable), variable] as const] : []
    }),
  )
  return new Map(
    Object.entries(values).map(([key, given]) => {
      if (!fields.has(key)) throw fail('validation_error', `\`values.${key}\` must be one of ${[...fields].join(', ')}`)
      const variable = readers.get(key)
      const value = variable ? variable.read(given) : given.trim()
      if (value === null || value === '')
        throw fail('validation_error', `values.${key} is not valid${variable ? ` as ${variable.label}` : ''}`)
      return [key, value]
    }),
  )
}

const ownerOf = async (ctx: Ctx, scope: 'team' | 'platform'): Promise<string> => {
  if (scope === 'team') return ctx.actor.teamId
  const team = await platformTeam(ctx.db)
  if (!team) throw fail('invalid_state', 'The platform workspace does not exist yet')
  return team.id
}

/** Writes the values of an app; omitted names keep their value. The caller has checked the permission. */
export const writeApp = (
  ctx: Ctx,
  provider: Provider,
  scope: 'team' | 'platform',
  values: Readonly<Record<string, string>>,
): Promise<store.AppRow> =>
  ctx.tx(async (ctx) => {
    const wanted = readValues(provider, values)
    const teamId = await ownerOf(ctx, scope)
    const id = await store.upsertApp(ctx.db, {
      id: newId(),
      team_id: teamId,
      user_id: ctx.actor.userId,
      provider: provider.slug,
      type: oauthSpecsOf(provider).some(({ callback }) => callback === 'mcp') ? 'mcp' : 'oauth',
      scope,
      display_name: provider.display_name,
      icon_url: provider.icon_url,
      now: ctx.now().toISOString(),
    })
    for (const [key, value] of wanted)
      await storeInternalSecret(ctx, { teamId, userId: ctx.actor.userId, key, value, credentialId: id })
    return updateAppStatus(ctx, provider, { id, team_id: teamId })
  })

/** An app is connected when it has every value that its provider's specs need. */
const updateAppStatus = async (
  ctx: Ctx,
  provider: Provider,
  app: Pick<store.AppRow, 'id' | 'team_id'>,
): Promise<store.AppRow> => {
  const fields = storableFields(provider)
  const stored: string[] = []
  for (const { key } of fields) if ((await internalSecretValue(ctx, app.team_id, key)) !== null) stored.push(key)
  const missing = fields.filter(({ key, optional }) => !optional && !stored.includes(key))
  return store.setAppState(ctx.db, app.id, {
    status: missing.length === 0 ? 'connected' : 'pending',
    metadata: JSON.stringify({ keys: stored, missing: missing.map(({ key }) => key) }),
  })
}

/** Changed specs need other values, so the status of the workspace's own app is computed again. */
export const refreshAppStatus = async (ctx: Ctx, provider: Provider): Promise<void> => {
  const app = await store.findApp(ctx.db, ctx.actor.teamId, provider.slug)
  if (app?.scope === 'team' && app.team_id === ctx.actor.teamId) await updateAppStatus(ctx, provider, app)
}

export const removeApp = async (
  ctx: Ctx,
  provider: Pick<ProviderRow, 'slug'>,
  scope: 'team' | 'platform',
): Promise<void> => {
  const teamId = await ownerOf(ctx, scope)
  for (const key of everyKeyOf(provider.slug)) await deleteInternalSecret(ctx, teamId, key)
  await store.deleteApps(ctx.db, { slug: provider.slug, scope, teamId }, ctx.now().toISOString())
}

export type SetApp = { values: Readonly<Record<string, string>>; scope?: 'team' | 'platform' | undefined }

/** An operator in the platform's workspace sets the shared app; everyone else sets the app of their workspace. */
export const setApp = (
  ctx: Ctx,
  provider: ProviderRow,
  { values, scope: requested }: SetApp,
): Promise<store.AppRow> => {
  const { actor } = ctx
  const operator = isPlatformAdmin(actor)
  const scope = requested ?? (operator && actor.inPlatformTeam && provider.scope === 'platform' ? 'platform' : 'team')
  if (scope === 'platform' && !operator)
    throw fail('permission_denied', 'Only a platform operator can set the app that every workspace shares')
  if (scope === 'platform' && provider.scope !== 'platform')
    throw fail(
      'validation_error',
      `${provider.slug} belongs to this workspace alone and cannot use the scope \`platform\``,
    )
  if (scope === 'team' && !isTeamAdmin(actor) && !operator)
    throw fail('team_role_required', 'This needs the workspace role admin')
  if (appFields(provider).length === 0)
    throw fail('validation_error', `${provider.slug} does not sign in with an OAuth app`)
  return changeApp(ctx, provider, { values, scope })
}

/** The variables of the workspace's app are part of the addresses that receive tokens. */
const endMovedConnections = async (ctx: Ctx, provider: ProviderRow, values: Readonly<Record<string, string>>) => {
  const { teamId } = ctx.actor
  for (const [key, value] of readValues(provider, values)) {
    if (key === clientIdKeyOf(provider.slug) || key === clientSecretKeyOf(provider.slug)) continue
    const stored = await internalSecretValue(ctx, teamId, key)
    if (stored !== null && stored !== value) return endConnections(ctx, { teamId, slug: provider.slug })
  }
  return noRevocation
}

const changeApp = async (
  ctx: Ctx,
  provider: ProviderRow,
  { values, scope }: SetApp & { scope: 'team' | 'platform' },
): Promise<store.AppRow> => {
  const { app, revokeOld } = await ctx.tx(async (ctx) => {
    const revokeOld = scope === 'team' ? await endMovedConnections(ctx, provider, values) : noRevocation
    const row = await writeApp(ctx, provider, scope, values)
    await recordAudit(ctx, 'credential.app_set', {
      resourceType: 'credential',
      resourceId: row.id,
      meta: { provider: provider.slug, scope, keys: Object.keys(values) },
    })
    return { app: row, revokeOld }
  })
  await revokeOld()
  return app
}
