// Secret values for the server itself: signing, runs, connections. No audit log entry is written here; callers check
// the permission.
import { createHash } from 'node:crypto'
import { newId } from '@millrace/contract/ids'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx, Platform } from '#platform/core/ctx.ts'
import * as secrets from './store.ts'
import * as store from './values-store.ts'
import { addVersion, openVersion, type ValueReader } from './versions.ts'

/** The value of a workspace's own secret; null when the name does not exist. */
export const secretValue = (reader: ValueReader, teamId: string, key: string): Promise<string | null> =>
  readValue(reader, teamId, 'team', key)

export const hasSecret = async ({ db }: Pick<ValueReader, 'db'>, teamId: string, key: string): Promise<boolean> =>
  (await store.findValue(db, teamId, 'team', key)) !== undefined

/** The value of a secret that a credential manages, such as the client secret of an OAuth app. */
export const internalSecretValue = (reader: ValueReader, teamId: string, key: string): Promise<string | null> =>
  readValue(reader, teamId, 'internal', key)

const readValue = async (
  reader: ValueReader,
  teamId: string,
  scope: secrets.SecretScope,
  key: string,
): Promise<string | null> => {
  const row = await store.findValue(reader.db, teamId, scope, key)
  return row ? openVersion(reader, row) : null
}

/** The names without a value for this person, without decrypting anything. */
export const missingSecrets = async (
  { db }: Pick<Platform, 'db'>,
  teamId: string,
  keys: readonly string[],
  userId: string,
): Promise<string[]> => {
  const rows = keys.length === 0 ? [] : await store.findValuesForRun(db, teamId, userId, keys)
  const found = new Set(rows.map(({ key }) => key))
  return keys.filter((key) => !found.has(key))
}

export type RunSecrets = {
  values: Record<string, string>
  missing: string[]
  /** Changes with every value but reveals nothing about them; part of the identity of a warm worker. */
  fingerprint: string
}

/** With `userId`, secrets that another person connected for themselves are excluded. */
export const secretsForRun = async (
  reader: ValueReader,
  teamId: string,
  keys: readonly string[],
  userId: string | null = null,
): Promise<RunSecrets> => {
  const rows = keys.length === 0 ? [] : await store.findValuesForRun(reader.db, teamId, userId, keys)
  const values: Record<string, string> = {}
  for (const row of rows) values[row.key] = await openVersion(reader, row)
  return {
    values,
    missing: keys.filter((key) => !Object.hasOwn(values, key)),
    fingerprint: fingerprintOf(rows),
  }
}

/** The fingerprint alone, without decrypting anything. */
export const runSecretsFingerprint = async (
  { db }: Pick<Platform, 'db'>,
  teamId: string,
  keys: readonly string[],
  userId: string | null = null,
): Promise<string> => fingerprintOf(keys.length === 0 ? [] : await store.findValuesForRun(db, teamId, userId, keys))

const fingerprintOf = (rows: readonly store.ValueRow[]): string =>
  createHash('sha256')
    .update(
      rows
        .map((row) => `${row.key}=${row.id}`)
        .sort()
        .join('\n'),
    )
    .digest('hex')
    .slice(0, 32)

type InternalSecret = { teamId: string; userId: string; key: string; value: string; credentialId?: string }

/** Sets a secret that a credential manages. Earlier values are deleted, because a replaced token is useless. */
export const storeInternalSecret = (ctx: Ctx<Actor>, secret: InternalSecret): Promise<void> =>
  ctx.tx(async (ctx) => {
    const { teamId, userId, key, value, credentialId } = secret
    const now = ctx.now().toISOString()
    const id = newId()
    const row = { id, team_id: teamId, user_id: userId, key, description: '', created_at: now, updated_at: now }
    const made = await secrets.insertSecret(ctx.db, { ...row, scope: 'internal' })
    const current = made ? { id, version: 0 } : await secrets.lockByScope(ctx.db, teamId, 'internal', key)
    if (!current) throw new Error(`The internal secret ${key} disappeared while it was written`)
    const number = current.version + 1
    await addVersion(ctx, { id: current.id, teamId }, { number, value, userId, showHint: false })
    await secrets.setVersion(ctx.db, current.id, { version: number, updated_at: now })
    await secrets.deleteVersionsBefore(ctx.db, current.id, number)
    if (credentialId !== undefined) await secrets.setCredential(ctx.db, current.id, credentialId, now)
  })

/** Deletes the value; does nothing when the name does not exist. */
export const deleteInternalSecret = (ctx: Ctx<Actor>, teamId: string, key: string): Promise<void> =>
  ctx.tx(async (ctx) => {
    const current = await secrets.lockByScope(ctx.db, teamId, 'internal', key)
    if (!current) return
    await secrets.deleteVersions(ctx.db, current.id)
    await secrets.deleteSecret(ctx.db, current.id, ctx.now().toISOString())
  })
