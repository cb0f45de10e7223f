// Guarantees: admins can restore a replaced value while it is among the last few; no response shows it before.
import { previousVersionsKept } from '@millrace/contract/secrets'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { givenSecret } from './testing/given.ts'

const path = ({ key }: { key: string }) => ({ key })

/** A secret that has had two values. */
const givenTwoValues = async (world: World) => {
  const given = await givenSecret(world)
  await world.call('owner', `PUT /secrets/${given.key}`, { body: { value: 'second-value-0123-wxyz' } })
  const { data } = await world.call('owner', `GET /secrets/${given.key}/versions`)
  const [present, first] = data as { id: string }[]
  return { ...given, presentId: present?.id ?? '', firstId: first?.id ?? '' }
}

const first = ({ firstId }: { firstId: string }) => ({ version_id: firstId })
const present = ({ presentId }: { presentId: string }) => ({ version_id: presentId })

scenarios('secrets.versions', givenTwoValues, [
  {
    claim: 'an admin sees the values a secret had, masked, newest first',
    as: 'admin',
    path,
    status: 200,
    check: ({ data, text }, { value }, world) => {
      expect(data).toMatchObject([
        { version: 2, current: true, masked_value: '****wxyz', user_id: world.people.owner.userId },
        { version: 1, current: false, masked_value: '****abcd' },
      ])
      expect(text).not.toContain(value)
      expect(text).not.toContain('second-value')
    },
  },
  { claim: 'an unknown key', as: 'admin', path: { key: 'NOT_THERE' }, status: 404, code: 'not_found' },
  { claim: 'a plain member', as: 'member', path, status: 403, code: 'team_role_required' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
])

scenarios('secrets.restore', givenTwoValues, [
  {
    claim: 'an admin brings an earlier value back as a new version',
    as: 'admin',
    path,
    body: first,
    status: 200,
    audits: ['secret.restored'],
    emits: ['team/secrets'],
    check: async ({ data, text }, { key, value }, world) => {
      expect(data).toMatchObject({ key, version: 3, masked_value: '****abcd' })
      expect(text).not.toContain(value)
      expect((await world.call('admin', `GET /secrets/reveal/${key}`)).data.value).toBe(value)
    },
  },
  {
    claim: 'restoring the present value changes nothing',
    as: 'admin',
    path,
    body: present,
    status: 200,
    check: ({ data }) => expect(data.version).toBe(2),
  },
  {
    claim: 'a version of another secret is not found',
    as: 'admin',
    path: () => ({ key: 'NOT_THERE' }),
    body: first,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'an unknown version',
    as: 'admin',
    path,
    body: { version_id: '00000000000000000000000000' },
    status: 404,
    code: 'not_found',
  },
  { claim: 'a missing version', as: 'admin', path, body: {}, status: 400, code: 'invalid_request' },
  {
    claim: 'a plain member',
    as: 'member',
    path,
    body: first,
    status: 403,
    code: 'team_role_required',
  },
  {
    claim: 'another workspace',
    as: 'stranger',
    path,
    body: first,
    status: 404,
    code: 'not_found',
  },
])

describe('versions', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  it('are bounded: only the last few values before the present one are kept', async () => {
    const { key, id } = await givenSecret(world)
    for (let index = 0; index < previousVersionsKept + 3; index++)
      await world.call('owner', `PUT /secrets/${key}`, { body: { value: `value ${index}` } })
    const { data } = await world.call('owner', `GET /secrets/${key}/versions`)
    expect(data).toHaveLength(previousVersionsKept + 1)
    expect(data[0]).toMatchObject({ version: previousVersionsKept + 4, current: true })
    const { db } = world.open.platform
    const rows = await db.selectFrom('secret_versions').select('id').where('secret_id', '=', id).execute()
    expect(rows).toHaveLength(previousVersionsKept + 1)
  })

  it('updates at the same time all count, none is lost', async () => {
    const { key } = await givenSecret(world)
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        world.call('owner', `PUT /secrets/${key}`, { body: { value: `parallel value ${index}` } }),
      ),
    )
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200))
    const { data } = await world.call('owner', `GET /secrets/${key}/versions`)
    expect(data.map((version: { version: number }) => version.version)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
  })

  it('a sealed value moved to another row does not open', async () => {
    const [one, other] = [await givenSecret(world), await givenSecret(world)]
    const { db } = world.open.platform
    const sealedOf = (id: string) =>
      db.selectFrom('secret_versions').select('value_sealed').where('secret_id', '=', id).executeTakeFirstOrThrow()
    await db
      .updateTable('secret_versions')
      .set(await sealedOf(one.id))
      .where('secret_id', '=', other.id)
      .execute()
    const answer = await world.call('owner', `GET /secrets/reveal/${other.key}`)
    expect(answer.status).toBe(500)
    expect(answer.text).not.toContain(one.value)
  })
})
