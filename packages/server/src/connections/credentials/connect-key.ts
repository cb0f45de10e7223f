// Connects with copied credentials: an API key, a bearer token, or a user name and password. Values shared by a
// workspace are stored as its secrets; personal values are sealed in the connection, because two people may use the
// same name.
import type { ConnectAnswer, ConnectCredential } from '@millrace/contract/credentials'
import { newId } from '@millrace/contract/ids'
import type { SecretField } from '@millrace/contract/providers'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail, isFailure } from '#platform/core/errors.ts'
import { environmentName, type Provider } from '../auth-providers/service.ts'
import { type ConnectionScope, changeProvider, create, update } from '../secrets/service.ts'
import { answerFor, assertRoom, auditConnection, linkToVault, publishConnected } from './connecting.ts'
import * as store from './store.ts'
import { sealToken } from './tokens.ts'

export type KeyRequest = {
  provider: Provider
  scope: ConnectionScope
  request: Pick<ConnectCredential, 'type' | 'api_key' | 'metadata'>
}

type KeySpec = Exclude<Provider['specs'][number], { kind: 'oauth2' }>

export const keySpecsOf = ({ specs }: Pick<Provider, 'specs'>): KeySpec[] =>
  specs.filter((spec): spec is KeySpec => spec.kind !== 'oauth2')

const specFor = ({ provider, request }: KeyRequest): KeySpec => {
  const specs = keySpecsOf(provider)
  const spec = request.type === 'http' ? specs.find(({ kind }) => kind === 'http') : specs[0]
  if (!spec) throw fail('validation_error', `\`type\`: ${provider.slug} does not connect with ${request.type}`)
  return spec
}

const maxValueLength = 65_536

/** `api_key` alone fills a single field, or user name and password as `name:password`. */
const fromApiKey = (spec: KeySpec, apiKey: string): Record<string, string> => {
  const required = spec.fields.filter(({ optional }) => !optional)
  const [first, second] = required
  if (required.length === 1 && first) return { [first.key]: apiKey }
  const colon = apiKey.indexOf(':')
  if (spec.kind === 'http' && first && second && colon > 0)
    return { [first.key]: apiKey.slice(0, colon), [second.key]: apiKey.slice(colon + 1) }
  throw fail('validation_error', `\`metadata\` must contain ${required.map(({ key }) => key).join(' and ')}`)
}

const fieldValue = (given: Readonly<Record<string, unknown>>, slug: string, { key, optional }: SecretField) => {
  const value = given[key] ?? given[environmentName(slug, key)]
  if (value === undefined || value === '') {
    if (optional) return null
    throw fail('validation_error', `${key} is required`)
  }
  if (typeof value !== 'string' || value.length > maxValueLength)
    throw fail('validation_error', `\`metadata.${key}\` must be a string of at most ${maxValueLength} characters`)
  return value
}

/** Values by the environment name that runs use. */
const readValues = (key: KeyRequest): Map<string, string> => {
  const { provider, request } = key
  const spec = specFor(key)
  const given = { ...request.metadata, ...(request.api_key ? fromApiKey(spec, request.api_key) : {}) }
  const values = new Map<string, string>()
  for (const field of spec.fields) {
    const value = fieldValue(given, provider.slug, field)
    if (value !== null) values.set(environmentName(provider.slug, field.key), value)
  }
  return values
}

export const connectKey = (ctx: Ctx, key: KeyRequest): Promise<ConnectAnswer> => {
  const values = readValues(key)
  return ctx.tx(async (ctx) => {
    await assertRoom(ctx, key.provider.slug, key.scope)
    const id = key.scope === 'user' ? await storeInRow(ctx, key, values) : await storeAsSecrets(ctx, key, values)
    await auditConnection(ctx, 'credential.connected', { id, provider: key.provider.slug }, { scope: key.scope })
    await publishConnected(ctx, { id, provider: key.provider.slug })
    return answerFor(ctx, id)
  })
}

const storeInRow = async (ctx: Ctx, { provider }: KeyRequest, values: Map<string, string>): Promise<string> => {
  const { actor, db } = ctx
  const now = ctx.now().toISOString()
  const id = await store.upsertKeyConnection(db, {
    id: newId(),
    team_id: actor.teamId,
    user_id: actor.userId,
    org_id: null,
    visibility: 'private',
    provider: provider.slug,
    scope: 'user',
    display_name: provider.display_name,
    icon_url: provider.icon_url,
    now,
  })
  const text = JSON.stringify(Object.fromEntries(values))
  await store.setState(db, id, {
    status: 'connected',
    error_message: '',
    metadata: JSON.stringify({ fields: [...values.keys()] }),
    access_token_sealed: await sealToken(ctx, { id, team_id: actor.teamId }, 'access_token_sealed', text),
    updated_at: now,
  })
  await linkToVault(ctx, id, 'user')
  return id
}

const storeAsSecrets = async (
  ctx: Ctx,
  { provider, scope }: KeyRequest,
  values: Map<string, string>,
): Promise<string> => {
  const joining = {
    provider: provider.slug,
    provider_name: provider.display_name,
    connection_scope: scope,
  }
  let credentialId = ''
  for (const [key, value] of values) {
    const secret = await createOrReplace(ctx, key, value, joining)
    credentialId = secret.credential_id ?? credentialId
  }
  return credentialId
}

type Joining = { provider: string; provider_name: string; connection_scope: ConnectionScope }

const createOrReplace = async (ctx: Ctx, key: string, value: string, joining: Joining) => {
  try {
    return await create(ctx, { key, value, ...joining })
  } catch (error) {
    if (!isFailure(error, 'already_exists')) throw error
    await update(ctx, key, { value })
    return changeProvider(ctx, key, joining)
  }
}
