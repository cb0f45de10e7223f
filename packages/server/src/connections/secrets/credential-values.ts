// Secrets that belong to a credential, for the credentials feature.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { unlinkSecret } from '../vaults/service.ts'
import * as store from './store.ts'
import { findValuesOfCredential } from './values-store.ts'
import { openVersion, type ValueReader } from './versions.ts'

export type CredentialSecret = {
  readonly key: string
  /** Changes with the value but reveals nothing about it. */
  readonly versionId: string
  readonly open: () => Promise<string>
}

export const secretsOfCredential = async (reader: ValueReader, credentialId: string): Promise<CredentialSecret[]> =>
  (await findValuesOfCredential(reader.db, credentialId)).map((row) => ({
    key: row.key,
    versionId: row.id,
    open: () => openVersion(reader, row),
  }))

/** Deletes the keys of a disconnected credential. */
export const deleteSecretsOfCredential = async (ctx: Ctx<Actor>, credentialId: string): Promise<void> => {
  for (const { secret_id } of await findValuesOfCredential(ctx.db, credentialId)) {
    await unlinkSecret(ctx, secret_id)
    await store.deleteVersions(ctx.db, secret_id)
    await store.deleteSecret(ctx.db, secret_id, ctx.now().toISOString())
  }
}
