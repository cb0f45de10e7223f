// All ways to connect a provider, with the workspace's existing connections, as shown on the settings page.
import type { Capabilities, CredentialType, ProviderConfig } from '@millrace/contract/credentials'
import { accessTokenKeyOf, type SecretField } from '@millrace/contract/providers'
import type { Ctx } from '#platform/core/ctx.ts'
import {
  appFields,
  environmentName,
  listApps,
  listProviders,
  type OauthApp,
  type Provider,
} from '../auth-providers/service.ts'
import { credentialDto } from './dto.ts'
import { holderOf } from './reads.ts'
import { documentKeyOf, type MachineType, machineNames, machineProviders } from './service-accounts.ts'
import { type CredentialRow, findReachable } from './store.ts'

type Spec = Provider['specs'][number]

const typeOf = (spec: Spec): CredentialType => {
  if (spec.kind !== 'oauth2') return 'api_key'
  return spec.callback === 'mcp' ? 'mcp' : 'oauth'
}

const fieldsOf = (provider: Provider, spec: Spec): SecretField[] =>
  spec.kind === 'oauth2'
    ? appFields(provider)
    : spec.fields.map((field) => ({ ...field, key: environmentName(provider.slug, field.key) }))

type State = { apps: readonly OauthApp['row'][]; connections: readonly CredentialRow[] }

const stateOf = async (ctx: Ctx): Promise<State> => ({
  apps: await listApps(ctx, ctx.actor.teamId),
  connections: await findReachable(ctx.db, holderOf(ctx.actor), null),
})

const configOf = (provider: Provider, spec: Spec, { apps, connections }: State): ProviderConfig => {
  const { slug } = provider
  const type = typeOf(spec)
  const isOauth = spec.kind === 'oauth2'
  const app = isOauth ? apps.find((row) => row.provider === slug) : undefined
  const hasApp = app?.status === 'connected'
  const own = connections.filter((row) => row.provider === slug && row.type === type)
  const [credential] = own
  const shared = apps.some((row) => row.provider === slug && row.scope === 'platform' && row.status === 'connected')
  return {
    slug,
    provider: provider.provider,
    type,
    name: provider.display_name,
    short_name: provider.display_name.split(/[\s(]/)[0] ?? provider.display_name,
    description: provider.description,
    ...(provider.icon_url === '' ? {} : { icon_url: provider.icon_url }),
    how_it_works: provider.how_it_works,
    ...(provider.docs_url === '' ? {} : { docs_url: provider.docs_url }),
    secret_fields: fieldsOf(provider, spec),
    allows_byok: true,
    available: !isOauth || hasApp,
    has_managed: (isOauth && shared) || own.some((row) => row.scope === 'platform'),
    connection_scope: provider.connection_scope,
    grant: isOauth && !hasApp ? 'credentials' : 'token',
    // The current and the older name of the same field, for providers that the workspace can edit.
    ...(provider.scope === 'team' ? { custom_provider_id: provider.id, auth_scheme_id: provider.id } : {}),
    ...(app ? { app: credentialDto(app) } : {}),
    ...(credential ? { credential: credentialDto(credential) } : {}),
  }
}

const machineConfig = (type: MachineType, { connections }: State): ProviderConfig => {
  const { slug, name, description, docs_url, how_it_works } = machineProviders[type]
  const credential = connections.find((row) => row.provider === slug && row.type === type)
  return {
    slug,
    provider: slug,
    type,
    name,
    short_name: name,
    description,
    how_it_works: [...how_it_works],
    docs_url,
    secret_fields: [
      { key: documentKeyOf(slug), label: 'JSON document', placeholder: '', sensitive: true, optional: false },
    ],
    allows_byok: true,
    available: true,
    has_managed: credential?.scope === 'platform',
    connection_scope: 'team',
    grant: 'token',
    ...(credential ? { credential: credentialDto(credential) } : {}),
  }
}

const machineTypes: readonly MachineType[] = ['service_account', 'wif']

/** One entry per provider and connection type, in byte order of the slug. */
export const configs = async (ctx: Ctx): Promise<ProviderConfig[]> => {
  const state = await stateOf(ctx)
  const providers = await listProviders(ctx, ctx.actor.teamId)
  return [
    ...providers.flatMap((provider) => provider.specs.map((spec) => configOf(provider, spec, state))),
    ...machineTypes.map((type) => machineConfig(type, state)),
  ].sort((a, b) => (a.slug === b.slug ? 0 : a.slug < b.slug ? -1 : 1))
}

/** Providers that can be connected now. */
export const available = async (ctx: Ctx): Promise<ProviderConfig[]> =>
  (await configs(ctx)).filter((config) => config.available)

const satisfiedBy = (provider: Provider, spec: Spec): string[] =>
  spec.kind === 'oauth2' ? [accessTokenKeyOf(provider.slug)] : fieldsOf(provider, spec).map(({ key }) => key)

/** Values that connections provide to apps, by provider and type: scopes and environment names. */
export const capabilities = async (ctx: Ctx): Promise<Capabilities> => {
  const state = await stateOf(ctx)
  const providers = await listProviders(ctx, ctx.actor.teamId)
  const ways = providers.flatMap((provider) =>
    provider.specs.map((spec) => {
      const config = configOf(provider, spec, state)
      return {
        key: `${config.slug}:${config.type}`,
        provider: config.slug,
        type: config.type,
        ...(spec.kind === 'oauth2' ? { scopes: [...spec.scopes] } : {}),
        satisfies: satisfiedBy(provider, spec),
        display_name: config.name,
        description: config.description,
        available: config.available || config.credential?.status === 'connected',
      }
    }),
  )
  const machines = machineTypes.map((type) => {
    const { slug, name, description } = machineProviders[type]
    return {
      key: `${slug}:${type}`,
      provider: slug,
      type,
      satisfies: machineNames(type, slug),
      display_name: name,
      description,
      available: true,
    }
  })
  return { capabilities: [...ways, ...machines] }
}
