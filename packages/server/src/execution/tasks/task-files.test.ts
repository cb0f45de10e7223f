// Guarantees: the files of a task are found anywhere in its input and output, and can be deleted without the task.
import { expect } from 'vitest'
import { fetchMedia, stored } from '#content/files/testing/given.ts'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { finish, givenApp, run, unknownId } from './testing/given.ts'

const version = {
  repository: 'https://bundles.example.com/files.zip',
  kernel: 'node-22',
  functions: { run: { input_schema: { type: 'object' } } },
}

const given = async (world: World) => {
  const [input, output, foreign] = [
    await stored(world, 'owner', 'in'),
    await stored(world, 'member', 'out'),
    await stored(world, 'stranger', 'theirs'),
  ]
  const { id } = await run(world, await givenApp(world, version), { input: { pages: [{ image: input.uri }] } })
  await finish(world, id, { results: [output.uri, foreign.uri, 'https://example.com/x.png'], text: 'no address' })
  return { id, input, output, foreign }
}
type Given = Awaited<ReturnType<typeof given>>
const path = ({ id }: Given) => ({ id })

scenarios('tasks.files', given, [
  {
    claim: 'the stored files of the workspace with their paths',
    as: 'member',
    path,
    status: 200,
    check: ({ data }, { input, output }) =>
      expect(data.map(({ id, direction, field }: Record<string, string>) => [id, direction, field])).toEqual([
        [input.id, 'input', 'pages.0.image'],
        [output.id, 'output', 'results.0'],
      ]),
  },
  {
    claim: 'of a public task, without credentials',
    as: null,
    act: async (world) => {
      const { id } = await given(world)
      await world.call('owner', `POST /tasks/${id}/visibility`, { body: { visibility: 'public' } })
      return world.call(null, `GET /tasks/${id}/files`)
    },
    status: 200,
    check: ({ data }) =>
      expect(data.map(({ field }: { field: string }) => field)).toEqual(['pages.0.image', 'results.0']),
  },
  { claim: 'no credential', as: null, path, status: 404, code: 'not_found' },
  { claim: 'a key without the scope', as: 'key:apps:read', path, status: 404, code: 'not_found' },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
])

scenarios('tasks.deleteFiles', given, [
  {
    claim: 'the addresses no longer resolve; the task and files of others stay',
    as: 'owner',
    path,
    status: 200,
    check: async ({ data }, { id, input, output, foreign }, world) => {
      expect(data).toEqual({ deleted: 2 })
      for (const file of [input, output]) expect((await fetchMedia(world, file.uri)).status).toBe(404)
      expect((await fetchMedia(world, foreign.uri)).status).toBe(200)
      expect((await world.call('owner', `GET /tasks/${id}`)).status).toBe(200)
      expect((await world.call('owner', `DELETE /tasks/${id}/files`)).data).toEqual({ deleted: 0 })
    },
    audits: ['team_admin.permission_bypass', 'file.deleted'],
  },
  {
    claim: 'not a private file of a colleague, even if its address is in the task',
    as: 'member',
    act: async (world) => {
      const [theirs, own] = [await stored(world, 'owner', 'kept'), await stored(world, 'member', 'gone')]
      const app = await givenApp(world, version)
      const { id } = await run(world, app, { input: { pages: [theirs.uri, own.uri] } }, 'member')
      const answer = await world.call('member', `DELETE /tasks/${id}/files`)
      expect((await fetchMedia(world, theirs.uri)).status).toBe(200)
      expect((await fetchMedia(world, own.uri)).status).toBe(404)
      return answer
    },
    status: 200,
    check: ({ data }) => expect(data).toEqual({ deleted: 1 }),
    audits: ['file.deleted'],
  },
  { claim: 'another workspace', as: 'stranger', path, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: { id: unknownId }, status: 404, code: 'not_found' },
])
