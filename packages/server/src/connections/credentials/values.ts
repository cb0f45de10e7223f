// The values of a connection: environment names for a run, their values, and the authentication of a request.
import { createHash } from 'node:crypto'
import { accessTokenKeyOf } from '@millrace/contract/providers'
import { fail } from '#platform/core/errors.ts'
import { environmentName, findProvider } from '../auth-providers/service.ts'
import { secretsOfCredential } from '../secrets/service.ts'
import { metadataOf } from './clients.ts'
import { keySpecsOf } from './connect-key.ts'
import { fresh, type Parts, renew } from './refresh.ts'
import { documentKeyOf, type MachineType, machineNames } from './service-accounts.ts'
import type { CredentialRow } from './store.ts'
import { openToken } from './tokens.ts'

/** Environment names of a run, without decrypting anything. */
export const namesOf = async (parts: Pick<Parts, 'db' | 'keyring'>, row: CredentialRow): Promise<string[]> => {
  if (row.type === 'service_account' || row.type === 'wif') return machineNames(row.type as MachineType, row.provider)
  if (row.type !== 'api_key') return [accessTokenKeyOf(row.provider)]
  const secrets = await secretsOfCredential(parts, row.id)
  return [...new Set([...(metadataOf(row).fields ?? []), ...secrets.map(({ key }) => key)])]
}

/** Changes with every value but reveals nothing about them. */
export const markOf = async (parts: Pick<Parts, 'db' | 'keyring'>, row: CredentialRow): Promise<string> => {
  const secrets = row.type === 'api_key' ? await secretsOfCredential(parts, row.id) : []
  return [row.id, row.token_generation, ...secrets.map(({ versionId }) => versionId)].join(':')
}

export const fingerprintOf = (marks: readonly string[]): string =>
  createHash('sha256')
    .update([...marks].sort().join('\n'))
    .digest('hex')
    .slice(0, 32)

const keyValues = async (parts: Parts, row: CredentialRow): Promise<Record<string, string>> => {
  const values: Record<string, string> = {}
  for (const secret of await secretsOfCredential(parts, row.id)) values[secret.key] = await secret.open()
  const accessToken = await openToken(parts, row, 'access_token_sealed')
  return accessToken === null ? values : { ...values, ...(JSON.parse(accessToken) as Record<string, string>) }
}

const documentOf = async (parts: Parts, row: CredentialRow): Promise<Record<string, string>> => {
  const json = await openToken(parts, row, 'refresh_token_sealed')
  return json === null ? {} : { [documentKeyOf(row.provider)]: json }
}

const lost = (row: CredentialRow) => fail('invalid_state', `${row.display_name} must be connected again`)

/** The values by name, refreshed first where needed, and their row. */
export const valuesOf = async (
  parts: Parts,
  row: CredentialRow,
): Promise<{ values: Record<string, string>; row: CredentialRow }> => {
  if (row.type === 'api_key') return { values: await keyValues(parts, row), row }
  if (row.type === 'wif') return { values: await documentOf(parts, row), row }
  const current = await fresh(parts, row)
  const token = await openToken(parts, current, 'access_token_sealed')
  if (token === null) throw lost(row)
  const document = row.type === 'service_account' ? await documentOf(parts, current) : {}
  return { values: { [accessTokenKeyOf(row.provider)]: token, ...document }, row: current }
}

/** Headers and query parameters that authenticate a request to the service. */
export type RequestAuth = { headers: Record<string, string>; query: Record<string, string> }

const bearer = (token: string): RequestAuth => ({ headers: { authorization: `Bearer ${token}` }, query: {} })

const keyAuth = async (parts: Parts, row: CredentialRow, values: Record<string, string>): Promise<RequestAuth> => {
  const provider = await findProvider(parts, row.team_id, row.provider)
  const specs = provider ? keySpecsOf(provider) : []
  const valueAt = (key: string) => values[environmentName(row.provider, key)] ?? ''
  for (const spec of specs) {
    const [first, second] = spec.fields
    if (!first || valueAt(first.key) === '') continue
    if (spec.kind === 'http' && spec.scheme === 'basic' && second) {
      const pair = Buffer.from(`${valueAt(first.key)}:${valueAt(second.key)}`).toString('base64')
      return { headers: { authorization: `Basic ${pair}` }, query: {} }
    }
    if (spec.kind === 'http') return bearer(valueAt(first.key))
    const value = `${spec.prefix}${valueAt(first.key)}`
    return spec.in === 'query'
      ? { headers: {}, query: { [spec.name]: value } }
      : { headers: { [spec.name.toLowerCase()]: value }, query: {} }
  }
  const [only] = Object.values(values)
  if (only === undefined) throw lost(row)
  return bearer(only)
}

export const requestAuth = async (
  parts: Parts,
  row: CredentialRow,
): Promise<{ auth: RequestAuth; row: CredentialRow }> => {
  const { values, row: current } = await valuesOf(parts, row)
  if (row.type === 'api_key') return { auth: await keyAuth(parts, row, values), row: current }
  const token = values[accessTokenKeyOf(row.provider)]
  if (token === undefined) throw fail('validation_error', `${row.display_name} does not sign requests`)
  return { auth: bearer(token), row: current }
}

/** Makes a request with a connection. A refused token is refreshed once and the request repeated once. */
export const withConnection = async (
  parts: Parts,
  row: CredentialRow,
  request: (auth: RequestAuth) => Promise<Response>,
): Promise<Response> => {
  const first = await requestAuth(parts, row)
  const answer = await request(first.auth)
  if (answer.status !== 401 || row.type === 'api_key' || row.type === 'wif') return answer
  const renewed = await renew(parts, row.id, first.row.token_generation).catch(() => null)
  const token = renewed && (await openToken(parts, renewed, 'access_token_sealed'))
  if (!token) return answer
  await answer.body?.cancel()
  return request(bearer(token))
}
