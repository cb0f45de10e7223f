// The public form of an auth provider. Values of the OAuth app appear as secret names only.
import type { AuthProvider } from '@millrace/contract/auth-providers'
import { shortId } from '@millrace/contract/ids'
import { clientIdKeyOf, clientSecretKeyOf } from '@millrace/contract/providers'
import type { ProviderRow } from './store.ts'

export const authProviderDto = (row: ProviderRow): AuthProvider => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  user_id: row.user_id ?? '',
  user: null,
  team_id: row.team_id ?? '',
  team: null,
  visibility: row.scope === 'platform' ? 'public' : 'team',
  slug: row.slug,
  provider: row.provider,
  display_name: row.display_name,
  icon_url: row.icon_url,
  website: row.website,
  description: row.description,
  docs_url: row.docs_url,
  how_it_works: row.how_it_works,
  scope: row.scope,
  connection_scope: row.connection_scope,
  specs: row.specs.map((spec) => ({ ...spec })),
  client_id_key: clientIdKeyOf(row.slug),
  client_secret_key: clientSecretKeyOf(row.slug),
})
