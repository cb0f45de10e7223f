// The public form of a credential, without its tokens and keys.
import type { Credential, CredentialStatus, CredentialType } from '@millrace/contract/credentials'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { OauthApp } from '../auth-providers/service.ts'

/** Connections and OAuth apps share a table. */
export type ShownRow = OauthApp['row']

export const credentialDto = (row: ShownRow): Credential => ({
  ...resourceFields(row),
  ...(row.org_id === null ? {} : { org_id: row.org_id }),
  visibility: row.visibility as Credential['visibility'],
  provider: row.provider,
  type: row.type as CredentialType,
  grant: row.grant as Credential['grant'],
  ...(row.app_credential_id === null ? {} : { app_credential_id: row.app_credential_id }),
  scope: row.scope as Credential['scope'],
  status: row.status as CredentialStatus,
  display_name: row.display_name,
  ...(row.icon_url === '' ? {} : { icon_url: row.icon_url }),
  ...(row.account_identifier === '' ? {} : { account_identifier: row.account_identifier }),
  ...(row.account_name === '' ? {} : { account_name: row.account_name }),
  scopes: row.scopes,
  ...(row.expires_at === null ? {} : { expires_at: row.expires_at }),
  ...(row.vault_id === null ? {} : { vault_id: row.vault_id }),
  metadata: row.metadata as Record<string, unknown>,
  is_primary: row.is_primary,
  ...(row.error_message === '' ? {} : { error_message: row.error_message }),
})
