// Guarantees: a vault contains links, only to secrets and credentials of its own workspace.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { storeInternalSecret } from '../secrets/service.ts'
import {
  credentialRow,
  freshKey,
  freshSlug,
  type GivenSecret,
  givenCredential,
  givenSecret,
} from '../secrets/testing/given.ts'

type Given = {
  id: string
  secret: GivenSecret
  credential: string
  foreignSecret: string
  foreignCredential: string
  orgCredential: string
  platformCredential: string
  internalSecret: string
}

const given = async (world: World): Promise<Given> => {
  const { data } = await world.call('owner', 'POST /vaults', { body: { name: 'Press' } })
  const [secret, credential] = [await givenSecret(world), await givenCredential(world)]
  const foreign = await world.call('stranger', 'POST /secrets', { body: { key: freshKey(), value: 'theirs' } })
  const key = freshKey('INTERNAL')
  await storeInternalSecret(world.ctx(), { teamId: world.team.id, userId: world.people.owner.userId, key, value: 'v' })
  const internal = await world.call('owner', `GET /secrets/${key}`)
  return {
    id: data.id,
    secret,
    credential,
    foreignSecret: foreign.data.id,
    foreignCredential: await givenCredential(world, {
      teamId: world.otherTeam.id,
      userId: world.people.stranger.userId,
    }),
    orgCredential: await givenCredential(world, { scope: 'org' }),
    platformCredential: await givenCredential(world, { scope: 'platform' }),
    internalSecret: internal.data.id,
  }
}

/** Both are in the vault. */
const givenFull = async (world: World): Promise<Given> => {
  const all = await given(world)
  await world.call('owner', `POST /vaults/${all.id}/secrets`, { body: { secret_id: all.secret.id } })
  await world.call('owner', `POST /vaults/${all.id}/credentials`, { body: { credential_id: all.credential } })
  return all
}

const path = ({ id }: Given) => ({ id })
const missing = { id: '00000000000000000000000000' }
const ownSecret = ({ secret }: Given) => ({ secret_id: secret.id })
const ownCredential = ({ credential }: Given) => ({ credential_id: credential })

const counts = async (world: World, id: string) => {
  const { data } = await world.call('member', `GET /vaults/${id}`)
  return [data.secret_count, data.credential_count]
}

scenarios('vaults.secrets', givenFull, [
  {
    claim: 'an array of secrets, masked',
    as: 'member',
    path,
    status: 200,
    check: ({ data, text }, { secret }) => {
      expect(data).toMatchObject([{ id: secret.id, key: secret.key, masked_value: '****abcd' }])
      expect(text).not.toContain(secret.value)
    },
  },
  { claim: 'an unknown vault', as: 'member', path: missing, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
])

scenarios('vaults.credentials', givenFull, [
  {
    claim: 'an array of credentials, without tokens',
    as: 'member',
    path,
    status: 200,
    check: ({ data }, { credential }) => {
      expect(data).toHaveLength(1)
      expect(Object.keys(data[0]).sort()).toEqual([
        'created_at',
        'display_name',
        'id',
        'is_primary',
        'provider',
        'scope',
        'scopes',
        'status',
        'type',
        'updated_at',
      ])
      expect(data[0]).toMatchObject({ id: credential, type: 'oauth', scopes: ['read'], status: 'connected' })
    },
  },
  { claim: 'an unknown vault', as: 'member', path: missing, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
])

scenarios('vaults.add_secret', given, [
  {
    claim: 'links the secret; adding twice has no further effect',
    as: 'member',
    path,
    body: ownSecret,
    status: 200,
    audits: ['vault.secret_added'],
    check: async ({ data }, { id, secret }, world) => {
      expect(data).toEqual({ success: true })
      const again = await world.call('member', `POST /vaults/${id}/secrets`, { body: { secret_id: secret.id } })
      expect(again.data).toEqual({ success: true })
      expect(await counts(world, id)).toEqual([1, 0])
      await world.call('owner', `DELETE /secrets/${secret.key}`)
      expect(await counts(world, id)).toEqual([0, 0])
    },
  },
  {
    claim: 'a secret of another workspace',
    as: 'member',
    path,
    body: ({ foreignSecret }: Given) => ({ secret_id: foreignSecret }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'a secret that a credential manages',
    as: 'member',
    path,
    body: ({ internalSecret }: Given) => ({ secret_id: internalSecret }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a missing secret_id', as: 'member', path, body: {}, status: 400, code: 'invalid_request' },
  { claim: 'an empty secret_id', as: 'member', path, body: { secret_id: '' }, status: 400, code: 'invalid_request' },
  { claim: 'an unknown vault', as: 'member', path: missing, body: ownSecret, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, body: ownSecret, status: 404, code: 'not_found' },
  {
    claim: 'a workspace key',
    as: 'workspace-key:integrations:write',
    path,
    body: ownSecret,
    status: 403,
    code: 'permission_denied',
  },
])

scenarios('vaults.remove_secret', givenFull, [
  {
    claim: 'removes the link only; removing twice has no further effect',
    as: 'member',
    path,
    body: ownSecret,
    status: 200,
    audits: ['vault.secret_removed'],
    check: async (_answer, { id, secret }, world) => {
      const again = await world.call('member', `DELETE /vaults/${id}/secrets`, { body: { secret_id: secret.id } })
      expect(again.status).toBe(200)
      expect(await counts(world, id)).toEqual([0, 1])
      expect((await world.call('member', `GET /secrets/${secret.key}`)).status).toBe(200)
    },
  },
  {
    claim: 'a secret of another workspace',
    as: 'member',
    path,
    body: ({ foreignSecret }: Given) => ({ secret_id: foreignSecret }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a missing secret_id', as: 'member', path, body: {}, status: 400, code: 'invalid_request' },
  { claim: 'an unknown vault', as: 'member', path: missing, body: ownSecret, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, body: ownSecret, status: 404, code: 'not_found' },
  {
    claim: 'a workspace key',
    as: 'workspace-key:integrations:write',
    path,
    body: ownSecret,
    status: 403,
    code: 'permission_denied',
  },
])

scenarios('vaults.add_credential', given, [
  {
    claim: 'links the credential; adding twice has no further effect',
    as: 'member',
    path,
    body: ownCredential,
    status: 200,
    audits: ['vault.credential_added'],
    check: async (_answer, { id, credential }, world) => {
      const body = { credential_id: credential }
      expect((await world.call('member', `POST /vaults/${id}/credentials`, { body })).data).toEqual({ success: true })
      expect(await counts(world, id)).toEqual([0, 1])
    },
  },
  {
    claim: 'a credential that loses its last secret leaves every vault',
    as: 'member',
    path,
    body: ownCredential,
    status: 200,
    audits: ['vault.credential_added'],
    check: async (_answer, { id }, world) => {
      const { key, credentialId } = await givenSecret(world, { provider: freshSlug() })
      await world.call('member', `POST /vaults/${id}/credentials`, { body: { credential_id: credentialId } })
      expect(await counts(world, id)).toEqual([0, 2])
      await world.call('owner', `DELETE /secrets/${key}`)
      expect(await counts(world, id)).toEqual([0, 1])
      expect(await credentialRow(world, credentialId)).toMatchObject({ status: 'disconnected', vault_id: null })
    },
  },
  {
    claim: 'a credential of another workspace',
    as: 'member',
    path,
    body: ({ foreignCredential }: Given) => ({ credential_id: foreignCredential }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'an organization’s credential is no vault member',
    as: 'member',
    path,
    body: ({ orgCredential }: Given) => ({ credential_id: orgCredential }),
    status: 400,
    code: 'validation_error',
  },
  {
    claim: 'the platform’s credential is no vault member',
    as: 'member',
    path,
    body: ({ platformCredential }: Given) => ({ credential_id: platformCredential }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a missing credential_id', as: 'member', path, body: {}, status: 400, code: 'invalid_request' },
  {
    claim: 'an empty credential_id',
    as: 'member',
    path,
    body: { credential_id: '' },
    status: 400,
    code: 'invalid_request',
  },
  { claim: 'an unknown vault', as: 'member', path: missing, body: ownCredential, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, body: ownCredential, status: 404, code: 'not_found' },
  {
    claim: 'a workspace key',
    as: 'workspace-key:integrations:write',
    path,
    body: ownCredential,
    status: 403,
    code: 'permission_denied',
  },
])

scenarios('vaults.remove_credential', givenFull, [
  {
    claim: 'removes the link only',
    as: 'member',
    path,
    body: ownCredential,
    status: 200,
    audits: ['vault.credential_removed'],
    check: async (_answer, { id, credential }, world) => {
      expect(await counts(world, id)).toEqual([1, 0])
      expect(await credentialRow(world, credential)).toMatchObject({ status: 'connected' })
    },
  },
  {
    claim: 'the credential names no vault that it has been taken out of: another one that it is in, or none',
    as: 'member',
    path,
    body: ownCredential,
    status: 200,
    audits: ['vault.credential_removed'],
    check: async (_answer, { id, credential }, world) => {
      const named = async () => (await world.call('owner', `GET /credentials/${credential}`)).data.vault_id
      const body = { credential_id: credential }
      expect(await named()).toBeUndefined()
      await world.call('owner', `POST /vaults/${id}/credentials`, { body })
      const second = (await world.call('owner', 'POST /vaults', { body: { name: 'Second' } })).data
      await world.call('owner', `POST /vaults/${second.id}/credentials`, { body })
      expect(await named()).toBe(id)
      await world.call('owner', `DELETE /vaults/${id}/credentials`, { body })
      expect(await named()).toBe(second.id)
      await world.call('owner', `DELETE /vaults/${second.id}`)
      expect(await named()).toBeUndefined()
    },
  },
  {
    claim: 'a credential of another workspace',
    as: 'member',
    path,
    body: ({ foreignCredential }: Given) => ({ credential_id: foreignCredential }),
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a missing credential_id', as: 'member', path, body: {}, status: 400, code: 'invalid_request' },
  { claim: 'an unknown vault', as: 'member', path: missing, body: ownCredential, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, body: ownCredential, status: 404, code: 'not_found' },
  {
    claim: 'a workspace key',
    as: 'workspace-key:integrations:write',
    path,
    body: ownCredential,
    status: 403,
    code: 'permission_denied',
  },
])
