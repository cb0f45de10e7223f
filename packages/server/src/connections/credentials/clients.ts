// Selects the OAuth client for a service: the provider's spec with the values of its OAuth app.
import type { OAuth2Spec } from '@millrace/contract/auth-providers'
import type { Platform } from '#platform/core/ctx.ts'
import {
  filledSpec,
  findAppOf,
  findProvider,
  type OauthApp,
  oauthSpecsOf,
  type Provider,
} from '../auth-providers/service.ts'
import type { OauthClient } from './oauth-client.ts'
import type { CredentialRow } from './store.ts'

export type ConnectionMetadata = {
  flow?: OAuth2Spec['flow']
  profile?: string
  /** Names of the fields stored in the row itself. */
  fields?: string[]
  website?: string
  agent_id?: string
}

export const metadataOf = ({ metadata }: Pick<CredentialRow, 'metadata'>): ConnectionMetadata =>
  (metadata ?? {}) as ConnectionMetadata

export const clientWith = (provider: Provider, spec: OAuth2Spec, app: OauthApp): OauthClient => ({
  spec: filledSpec(spec, app),
  clientId: app.clientId,
  clientSecret: app.clientSecret,
  displayName: provider.display_name,
})

export const specFor = (provider: Provider, flow: OAuth2Spec['flow'] | undefined): OAuth2Spec | undefined => {
  const specs = oauthSpecsOf(provider)
  return specs.find((spec) => spec.flow === flow) ?? specs[0]
}

/** The client that a connection was made with; null when its provider or app was deleted. */
export const clientOf = async (
  parts: Pick<Platform, 'db' | 'keyring'>,
  row: CredentialRow,
): Promise<OauthClient | null> => {
  const provider = await findProvider(parts, row.team_id, row.provider)
  const spec = provider && specFor(provider, metadataOf(row).flow)
  const app = provider && row.app_credential_id !== null && (await findAppOf(parts, provider, row.app_credential_id))
  return provider && spec && app ? clientWith(provider, spec, app) : null
}
