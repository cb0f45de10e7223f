// Guarantees: abandoned data is deleted: an unfinished sign-in ends after ten minutes, and the connections of a person
// who left the workspace, or of a deleted workspace, are destroyed here and at the service.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { stateLifetimeMs } from './connect-oauth.ts'
import { sweepLeftovers } from './leftovers.ts'
import { type AuthorizationServer, ordinaryClient, startAuthorizationServer } from './testing/authorization-server.ts'
import { connectAt, credentialRow, givenProvider, specFor } from './testing/given.ts'

const slugs = ['mill', 'user-mill', 'again', 'theirs']

let world: World
let server: AuthorizationServer
beforeAll(async () => {
  server = await startAuthorizationServer({ clients: [ordinaryClient(slugs)] })
  world = await createWorld()
  for (const slug of ['mill', 'user-mill', 'again'])
    await givenProvider(world, {
      slug,
      specs: [specFor(server)],
      more: { connection_scope: slug === 'user-mill' ? 'user' : 'team' },
    })
  await givenProvider(world, { slug: 'theirs', specs: [specFor(server)], as: 'stranger' })
})
afterAll(async () => {
  await world?.close()
  await server?.close()
})

const sweep = () => sweepLeftovers(world.open.platform)
const states = () => world.open.platform.db.selectFrom('oauth_states').select('id').execute()
const vaultLinks = (credentialId: string) =>
  world.open.platform.db
    .selectFrom('vault_credentials')
    .select('vault_id')
    .where('credential_id', '=', credentialId)
    .execute()
const begin = async (slug: string): Promise<string> => {
  const { data } = await world.call('owner', 'POST /credentials', { body: { provider: slug, type: 'oauth' } })
  return data.credential.id
}
const usedConnectors = async (): Promise<number> =>
  world.open.platform.db
    .selectFrom('credentials')
    .select('id')
    .where('team_id', '=', world.team.id)
    .where('grant', '=', 'token')
    .where('status', '<>', 'disconnected')
    .execute()
    .then(({ length }) => length)

describe('a sign-in that was begun', () => {
  it('is left alone while it can still be finished', async () => {
    const id = await begin('mill')
    world.clock.advance(stateLifetimeMs - 1_000)
    await sweep()
    expect(await states()).toHaveLength(1)
    expect((await credentialRow(world, id)).status).toBe('pending')
  })

  it('ends afterwards: no state, no connection, no place in a vault or in the plan', async () => {
    const id = await begin('mill')
    expect(await vaultLinks(id)).toHaveLength(1)
    world.clock.advance(stateLifetimeMs + 1_000)
    await sweep()
    expect(await states()).toEqual([])
    expect(await credentialRow(world, id)).toMatchObject({ status: 'disconnected', vault_id: null })
    expect(await vaultLinks(id)).toEqual([])
    expect(await usedConnectors()).toBe(0)
    expect((await world.call('owner', 'GET /credentials/mill')).status).toBe(404)
    // The next attempt starts again from the beginning.
    expect((await connectAt(world, 'owner', 'mill')).status).toBe('connected')
    expect(await vaultLinks(id)).toHaveLength(1)
  })

  it('a second time, over a connection that had expired, leaves it expired', async () => {
    const { id } = await connectAt(world, 'owner', 'again')
    const { db } = world.open.platform
    await db.updateTable('credentials').set({ status: 'expired' }).where('id', '=', id).execute()
    expect(await begin('again')).toBe(id)
    world.clock.advance(stateLifetimeMs + 1_000)
    await sweep()
    const row = await credentialRow(world, id)
    expect([row.status, row.refresh_token_sealed === null]).toEqual(['expired', false])
  })
})

describe('a person who left', () => {
  it('takes their own connections with them; the workspace keeps its own', async () => {
    const own = await connectAt(world, 'member', 'user-mill')
    const shared = await connectAt(world, 'owner', 'mill')
    const revokedBefore = server.revoked
    await sweep()
    expect((await credentialRow(world, own.id)).status).toBe('connected')

    const { userId } = world.people.member
    const removed = await world.call('owner', `DELETE /teams/${world.team.id}/members/${userId}`)
    expect(removed.status, removed.text).toBeLessThan(300)
    await sweep()
    expect(await credentialRow(world, own.id)).toMatchObject({
      status: 'disconnected',
      access_token_sealed: null,
      refresh_token_sealed: null,
      vault_id: null,
    })
    expect(server.revoked).toBeGreaterThan(revokedBefore)
    expect((await credentialRow(world, shared.id)).status).toBe('connected')
    const audit = await world.open.platform.db
      .selectFrom('audit_log')
      .select(['team_id', 'actor_kind', 'meta'])
      .where('action', '=', 'credential.disconnected')
      .where('resource_id', '=', own.id)
      .execute()
    expect(audit).toEqual([
      { team_id: world.team.id, actor_kind: 'system', meta: expect.objectContaining({ reason: 'holder_gone' }) },
    ])
  })

  it('leaves the secret that one of them saved for the workspace', async () => {
    const saved = await world.call('admin', 'POST /secrets', {
      body: {
        key: 'ADMINS_OWN',
        value: 'a value',
        provider: 'own-crm',
        provider_name: 'CRM',
        connection_scope: 'user',
      },
    })
    expect(saved.status, saved.text).toBe(200)
    await world.call('owner', `DELETE /teams/${world.team.id}/members/${world.people.admin.userId}`)
    await sweep()
    expect((await credentialRow(world, saved.data.credential_id)).status).toBe('disconnected')
    expect((await world.call('owner', 'GET /secrets/reveal/ADMINS_OWN')).data.value).toBe('a value')
  })

  it('a deleted workspace takes all of them', async () => {
    const theirs = await connectAt(world, 'stranger', 'theirs')
    const deleted = await world.call('stranger', `DELETE /teams/${world.otherTeam.id}`)
    expect(deleted.status, deleted.text).toBeLessThan(300)
    await sweep()
    expect(await credentialRow(world, theirs.id)).toMatchObject({ status: 'disconnected', access_token_sealed: null })
  })
})
