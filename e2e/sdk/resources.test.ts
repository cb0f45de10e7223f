// Guarantees: the published client reads and writes the workspace's resources: apps, secrets, keys, teams, engines,
// credentials; and recognizes rejections as its error types.
import type { EventSource } from 'eventsource'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deploy } from './deploy.ts'
import { type Guest, refused, startGuest } from './guest.ts'
import { sdk } from './load.ts'

const code = 'export class App { run(input) { return { ...input, token: process.env.TOKEN ?? null } } }'

let guest: Guest
beforeAll(async () => {
  guest = await startGuest()
})
afterAll(() => guest?.remove())

describe('apps', () => {
  it('are made, read, listed, versioned, changed and deleted', async () => {
    const { apps } = guest.client
    const first = await deploy(guest.client, { name: 'crud', files: { 'inference.js': code } })
    const second = await deploy(guest.client, { name: 'crud', files: { 'inference.js': `${code}\n` } })
    expect(second.id).toBe(first.id)
    expect(second.version_id).not.toBe(first.version_id)

    expect((await apps.get(first.id)).data).toMatchObject({ name: 'crud', version_id: second.version_id })
    expect((await apps.getByName(first.ref)).data).toMatchObject({ id: first.id })
    const { data: versions } = await apps.listVersions(first.id, { limit: 10 })
    expect(versions.items.map((version: { id: string }) => version.id)).toEqual([second.version_id, first.version_id])
    await apps.setCurrentVersion(first.id, first.version_id)
    expect((await apps.get(first.id)).data).toMatchObject({ version_id: first.version_id })

    const { data: changed } = await apps.update(first.id, { title: 'Changed' } as never)
    expect(changed).toMatchObject({ title: 'Changed' })
    const { data: listed } = await apps.list({ filters: [{ field: 'name', operator: 'eq', value: 'crud' }] } as never)
    expect(listed).toMatchObject({ total_items: 1, has_next: false, items: [{ id: first.id, title: 'Changed' }] })
    const { data: found } = await apps.list({ search: { term: 'crud', exact: false } } as never)
    expect(found.items.map((item: { id: string }) => item.id)).toContain(first.id)

    const { data: copy } = await apps.duplicate(first.id)
    expect(copy).toMatchObject({ name: 'crud-copy', visibility: 'private' })
    expect((await apps.updateVisibility(first.id, 'public')).data).toMatchObject({ visibility: 'public' })
    await apps.saveLicense(first.id, 'accepted')
    expect((await apps.getLicense(first.id)).data).toMatchObject({ app_id: first.id, license: 'accepted' })

    await apps.delete(first.id)
    expect(await refused(apps.get(first.id))).toEqual({ status: 404, code: 'not_found' })
    expect(await refused(guest.client.run({ app: first.ref, input: {} } as never))).toMatchObject({ status: 404 })
  })

  it.each([
    ['maintenance', { status: 503, code: 'app_maintenance' }],
    ['retired', { status: 410, code: 'app_retired' }],
  ])('in %s run nothing', async (status, refusal) => {
    const { id, ref } = await deploy(guest.client, { name: `is-${status}`, files: { 'inference.js': code } })
    expect((await guest.client.apps.updateStatus(id, status, 'for now')).data).toMatchObject({ status })
    expect(await refused(guest.client.run({ app: ref, input: {} } as never))).toEqual(refusal)
  })
})

describe('requirements', () => {
  it('that are not met are the typed exception, and the run works once they are', async () => {
    const required = [{ key: 'TOKEN', description: 'Opens the route' }]
    const { ref } = await deploy(guest.client, {
      name: 'needs-token',
      files: { 'inference.js': code },
      version: { required_secrets: required },
    })
    const failure = await guest.client.run({ app: ref, input: {} } as never).then(
      () => null,
      (error: unknown) => error,
    )
    expect(sdk.isRequirementsNotMetException(failure)).toBe(true)
    expect(failure).toMatchObject({
      statusCode: 412,
      errors: [{ type: 'secret', key: 'TOKEN', action: { type: 'add_secret' } }],
    })
    const asked = { secrets: required } as never
    expect((await guest.client.integrations.checkRequirements(asked)).data).toMatchObject({ satisfied: false })
    await guest.person.secrets.create({ key: 'TOKEN', value: 'sesame' } as never)
    expect((await guest.client.integrations.checkRequirements(asked)).data).toMatchObject({ satisfied: true })
    const task = await guest.client.run({ app: ref, input: { a: 1 } } as never)
    expect(task).toMatchObject({ output: { a: 1, token: 'sesame' } })
  })
})

describe('secrets and vaults', () => {
  it('are stored, changed, revealed and deleted', async () => {
    const { secrets } = guest.person
    await secrets.create({ key: 'KEPT', value: 'first', description: 'A secret' } as never)
    expect((await secrets.reveal('KEPT')).data).toMatchObject({ value: 'first' })
    await secrets.update('KEPT', { value: 'second' } as never)
    expect((await secrets.reveal('KEPT')).data).toMatchObject({ value: 'second' })
    const { data } = await secrets.list({ filters: [{ field: 'key', operator: 'eq', value: 'KEPT' }] } as never)
    expect(data.items).toHaveLength(1)
    expect(JSON.stringify(data.items)).not.toContain('second')
    await secrets.delete('KEPT')
    expect(await refused(secrets.reveal('KEPT'))).toMatchObject({ status: 404 })

    const { body } = await guest.call('POST /vaults', { name: 'second-vault' })
    const vault = body.data as { id: string }
    expect((await guest.call(`GET /vaults/${vault.id}`)).body.data).toMatchObject({ name: 'second-vault' })
  })
})

describe('keys', () => {
  it('are created only by people, and are invalid after deletion', async () => {
    const { data: made } = await guest.person.apiKeys.create({ name: 'short-lived' } as never)
    const { data: listed } = await guest.person.apiKeys.list()
    expect(listed.items.map((key: { id: string }) => key.id)).toContain(made.id)
    const other = sdk.inference({ apiKey: made.key, baseUrl: guest.server.url })
    expect((await other.teams.me()).data).toMatchObject({ user: { id: guest.owner.user_id } })
    expect(await refused(other.apiKeys.create({ name: 'from a key' } as never))).toEqual({
      status: 403,
      code: 'requires_sign_in',
    })
    await guest.person.apiKeys.delete(made.id)
    expect(await refused(other.tasks.list())).toEqual({ status: 401, code: 'unauthorized' })
  })

  it('with few scopes do little', async () => {
    const { data: made } = await guest.person.apiKeys.create({ name: 'reader', scopes: ['apps:read'] } as never)
    const reader = sdk.inference({ apiKey: made.key, baseUrl: guest.server.url })
    expect((await reader.apps.list()).data.items.length).toBeGreaterThan(0)
    expect(await refused(reader.run({ app: 'millrace/echo', input: {} } as never))).toEqual({
      status: 403,
      code: 'insufficient_scope',
    })
  })
})

describe('teams', () => {
  it('are created, read, changed, and list their members', async () => {
    const { teams } = guest.person
    expect((await teams.checkUsername('another-team')).data).toMatchObject({ available: true })
    const { data: made } = await teams.create({ name: 'Another', username: 'another-team' } as never)
    expect((await teams.list()).data.map((team: { id: string }) => team.id)).toContain(made.id)
    expect((await teams.get(made.id)).data).toMatchObject({ username: 'another-team' })
    const { data: members } = await teams.getMembers(made.id)
    expect(members).toMatchObject([{ user_id: guest.owner.user_id, role: 'owner' }])
    const { data: invite } = await teams.createInvite(made.id, { email: 'friend@example.com', role: 'member' } as never)
    expect((await teams.listInvites(made.id)).data).toHaveLength(1)
    await teams.revokeInvite(made.id, invite.id)
    await teams.delete(made.id)
    expect(await refused(teams.get(made.id))).toMatchObject({ status: 404 })
  })
})

describe('engines', () => {
  it('are matched with what an app needs', async () => {
    const { data: found } = await guest.client.engines.getForResources({ resources: { gpu: { count: 0 } } } as never)
    expect(found).toMatchObject({ private: { workers: [] }, cloud: { can_run: true } })
  })

  it('of others are not visible', async () => {
    expect((await guest.client.engines.list()).data.items).toEqual([])
    expect(await refused(guest.client.engines.get('0'.repeat(26)))).toEqual({ status: 404, code: 'not_found' })
    const events = (await guest.client.engines.stream('0'.repeat(26))) as EventSource
    await new Promise<void>((resolve) => {
      events.onerror = () => resolve()
    })
    events.close()
  })
})

describe('refusals', () => {
  it.each([
    ['an unknown app', { app: 'millrace/nothing', input: {} }, { status: 404, code: 'not_found' }],
    ['an unknown function', { app: 'millrace/echo:nothing', input: {} }, { status: 400, code: 'validation_error' }],
    [
      'input that does not fit',
      { app: 'millrace/echo:sleep', input: { ms: 'x' } },
      { status: 400, code: 'validation_error' },
    ],
    [
      'two ways to name the app',
      { app: 'millrace/echo', app_id: 'x', input: {} },
      { status: 400, code: 'invalid_request' },
    ],
    [
      'a session timeout alone',
      { app: 'millrace/echo', input: {}, session_timeout: 5 },
      { status: 400, code: 'validation_error' },
    ],
  ])('%s', async (_name, request, refusal) => {
    expect(await refused(guest.client.run(request as never))).toEqual(refusal)
  })

  it('a filter on an unknown field', async () => {
    const filters = [{ field: 'nonsense', operator: 'eq', value: 1 }]
    expect(await refused(guest.client.tasks.list({ filters } as never))).toMatchObject({ status: 400 })
  })

  it('a wrong key', async () => {
    const stranger = sdk.inference({ apiKey: 'mill-nothing', baseUrl: guest.server.url })
    expect(await refused(stranger.tasks.create({ app: 'millrace/echo', input: {} } as never))).toEqual({
      status: 401,
      code: 'unauthorized',
    })
  })
})
