// Current and past values of a secret. The only code that seals and opens secret values.
import { newId } from '@millrace/contract/ids'
import { previousVersionsKept, type SecretVersion } from '@millrace/contract/secrets'
import type { Platform } from '#platform/core/ctx.ts'
import { type SealedColumn, sealBinding } from '#platform/keyring/sealed-columns.ts'
import { hintOf, maskedValue } from './rules.ts'
import * as store from './store.ts'

export const sealedVersions: SealedColumn = { table: 'secret_versions', column: 'value_sealed', teamColumn: 'team_id' }

/** The parts needed to read values: a context or the platform itself. */
export type ValueReader = Pick<Platform, 'db' | 'keyring'>

type Holder = { id: string; teamId: string }

export type NewValue = { number: number; value: string; userId: string; showHint: boolean }

export const addVersion = async (
  { db, keyring, now }: ValueReader & Pick<Platform, 'now'>,
  secret: Holder,
  { number, value, userId, showHint }: NewValue,
): Promise<void> => {
  const id = newId()
  await store.insertVersion(db, {
    id,
    secret_id: secret.id,
    team_id: secret.teamId,
    number,
    value_sealed: await keyring.seal(db, secret.teamId, value, binding(id)),
    hint: showHint ? hintOf(value) : '',
    user_id: userId,
    created_at: now().toISOString(),
  })
}

const binding = (versionId: string): string => sealBinding('secret_versions', versionId, 'value_sealed')

export const openVersion = async (
  { db, keyring }: ValueReader,
  version: { id: string; value_sealed: Buffer },
): Promise<string> => (await keyring.open(db, version.value_sealed, binding(version.id))).toString()

/** The oldest version that stays restorable beside the current one. */
export const oldestRetained = (present: number): number => present - previousVersionsKept

type VersionRow = Awaited<ReturnType<typeof store.findVersions>>[number]

export const toVersion = (row: VersionRow, present: number): SecretVersion => ({
  id: row.id,
  version: row.number,
  masked_value: maskedValue(row.hint),
  current: row.number === present,
  user_id: row.user_id,
  created_at: row.created_at,
})
