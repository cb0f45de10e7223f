// The public form of a secret, without its value.
import type { Secret } from '@millrace/contract/secrets'
import { resourceFields } from '#platform/tenancy/resource.ts'
import { maskedValue } from './rules.ts'
import type { SecretRow } from './store.ts'

export const secretDto = (row: SecretRow): Secret => ({
  ...resourceFields(row),
  visibility: 'team',
  key: row.key,
  masked_value: maskedValue(row.hint),
  description: row.description,
  scope: row.scope as Secret['scope'],
  ...(row.credential_id === null ? {} : { credential_id: row.credential_id }),
  version: row.version,
})
