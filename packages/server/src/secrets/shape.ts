// A secret as a caller sees it: everything but the value.
import { shortId } from '@millrace/contract/ids'
import type { Secret } from '@millrace/contract/secrets'
import { maskedValue } from './rules.ts'
import type { SecretRow } from './store.ts'

export const toSecret = (row: SecretRow): Secret => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  user_id: row.user_id,
  user: null,
  team_id: row.team_id,
  team: null,
  visibility: 'team',
  key: row.key,
  masked_value: maskedValue(row.hint),
  description: row.description,
  scope: row.scope as Secret['scope'],
  ...(row.credential_id === null ? {} : { credential_id: row.credential_id }),
  version: row.version,
})
