// Guarantees: the tag identifies everything that a user can change of an artifact. A reader with the current tag gets
// 304, and a writer with an old tag is refused.
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { As, World } from '../../testing/world.ts'
import { givenArtifact, publishOver } from './testing/given.ts'

const tagAt = async (world: World, as: As, place: string): Promise<string> => {
  const { headers } = await world.call(as, `GET /artifacts/${place}`)
  return String(headers.etag)
}

const given = async (world: World) => ({ own: await givenArtifact(world, 'owner', { capabilities: { data: true } }) })

scenarios('artifacts.get', given, [
  ...(['%', 'W/%', '"x", %', '*'] as const).map((form) => ({
    claim: `a reader with the tag, as ${form}`,
    as: 'owner' as const,
    act: async (world: World, { own }: Awaited<ReturnType<typeof given>>) => {
      const tag = await tagAt(world, 'owner', own.id)
      const byRef = await world.call('owner', `GET /artifacts/mill/${own.name}`, {
        headers: { 'if-none-match': form.replace('%', tag) },
      })
      expect([byRef.status, byRef.text, byRef.headers.etag]).toEqual([304, '', tag])
      return world.call('owner', `GET /artifacts/${own.id}`, { headers: { 'if-none-match': form.replace('%', tag) } })
    },
    status: 304,
  })),
  {
    claim: 'a reader with the tag sees a new title',
    as: 'owner',
    act: async (world, { own }) => {
      const tag = await tagAt(world, 'owner', own.id)
      await world.call('owner', `POST /artifacts/${own.id}`, { body: { title: 'New' } })
      return world.call('owner', `GET /artifacts/${own.id}`, { headers: { 'if-none-match': tag } })
    },
    status: 200,
    check: ({ data }) => expect(data.title).toBe('New'),
  },
])

scenarios('artifacts.update', given, [
  {
    claim: 'a title that was changed by someone else',
    as: 'owner',
    act: async (world, { own }) => {
      const headers = { 'if-match': await tagAt(world, 'owner', own.id) }
      const first = await world.call('owner', `POST /artifacts/${own.id}`, { body: { title: 'Mine' }, headers })
      const next = { 'if-match': String(first.headers.etag) }
      const more = await world.call('owner', `POST /artifacts/${own.id}`, { body: { favicon: 'f' }, headers: next })
      expect(more.status).toBe(200)
      return world.call('owner', `POST /artifacts/${own.id}`, { body: { title: 'Yours' }, headers })
    },
    status: 412,
    code: 'precondition_failed',
  },
  {
    claim: 'with the tag of what is on show, while nothing has changed',
    as: 'owner',
    act: async (world, { own }) => {
      await publishOver(world, 'owner', own.id)
      await world.call('owner', `POST /artifacts/${own.id}`, { body: { shared_version_id: own.version_id } })
      const headers = { 'if-match': await tagAt(world, 'owner', `mill/${own.name}`) }
      const answer = await world.call('owner', `POST /artifacts/${own.id}`, { body: { title: 'T' }, headers })
      const stale = await world.call('owner', `POST /artifacts/${own.id}/versions`, { body: { content: 'x' }, headers })
      expect(stale.code).toBe('precondition_failed')
      return answer
    },
    status: 200,
  },
])

scenarios('artifacts.set_visibility', given, [
  {
    claim: 'a view does not change the tag, a new visibility does',
    as: 'owner',
    act: async (world, { own }) => {
      const tag = await tagAt(world, 'owner', own.id)
      await world.call('owner', `GET /artifacts/${own.id}/render`)
      expect(await tagAt(world, 'owner', own.id)).toBe(tag)
      const answer = await world.call('owner', `POST /artifacts/${own.id}/visibility`, { body: { visibility: 'team' } })
      expect(answer.headers.etag).not.toBe(tag)
      expect(await tagAt(world, 'owner', own.id)).toBe(answer.headers.etag)
      return answer
    },
    status: 200,
  },
])

scenarios('artifacts.list', given, [
  {
    claim: 'lists the capabilities of each artifact, as the artifact itself does',
    as: 'owner',
    act: async (world, { own }) => {
      const ask = (fields: string[]) =>
        world.call('owner', 'POST /artifacts/list', { body: { fields, filters: [{ field: 'id', value: own.id }] } })
      expect((await ask(['capabilities'])).data.items).toEqual([{ id: own.id, capabilities: { data: true } }])
      return ask([])
    },
    status: 200,
    check: ({ data }) => expect(data.items[0].capabilities).toEqual({ data: true }),
  },
])
