// Knowledge for tests, created through the API.
import { newId } from '@millrace/contract/ids'
import type { Knowledge, Skill } from '@millrace/contract/knowledge'
import type { Scenario } from '../../../testing/scenarios.ts'
import type { As, World } from '../../../testing/world.ts'

export const freshName = (): string => `entry-${newId().slice(0, 12)}`

export const text = (content: string, path = 'entry.md') => ({ content: { path, content } })

const done = <T>(answer: { status: number; text: string; data: T }): T => {
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const givenEntry = async (world: World, as: As, body: object = {}, team?: string): Promise<Knowledge> =>
  done(
    await world.call(as, 'POST /knowledge', {
      body: { name: freshName(), description: 'Something we know', version: text('# Known\n'), ...body },
      team,
    }),
  )

export const givenSkill = async (world: World, as: As, body: object = {}): Promise<Skill> =>
  done(
    await world.call(as, 'POST /skills', {
      body: { name: freshName(), description: 'How to do it', instructions: 'Do it.', files: [], ...body },
    }),
  )

export const show = async <T extends { id: string }>(world: World, as: As, entry: T, visibility: string): Promise<T> =>
  done(await world.call(as, `POST /knowledge/${entry.id}/visibility`, { body: { visibility } })) && entry

export const writeVersion = async (world: World, as: As, id: string, body: object): Promise<Knowledge> =>
  done(await world.call(as, `POST /knowledge/${id}`, { body }))

export type Given<T> = {
  /** Owned by the owner, visible in the workspace. */
  shared: T
  /** Private to the owner. */
  own: T
  /** Private to the member. */
  hidden: T
  /** Public, of another workspace. */
  foreign: T
  /** Private to the owner of another workspace. */
  secret: T
}

const given =
  <T extends { id: string }>(make: (world: World, as: As) => Promise<T>) =>
  async (world: World): Promise<Given<T>> => ({
    shared: await show(world, 'owner', await make(world, 'owner'), 'team'),
    own: await make(world, 'owner'),
    hidden: await make(world, 'member'),
    foreign: await show(world, 'stranger', await make(world, 'stranger'), 'public'),
    secret: await make(world, 'stranger'),
  })

export const givenEntries = given(givenEntry)
export const givenSkills = given(givenSkill)

/** Rows that are shared by all scenarios of a world, for tables that only read. */
const once = <T>(make: (world: World) => Promise<T>) => {
  const made = new WeakMap<World, Promise<T>>()
  return (world: World): Promise<T> => {
    const known = made.get(world) ?? make(world)
    made.set(world, known)
    return known
  }
}
export const sameEntries = once(givenEntries)
export const sameSkills = once(givenSkills)

export const unknownId = '00000000000000000000000000'

type Row<T> = Scenario<Given<T>>
type Path<T> = (given: Given<T>) => Record<string, string>
type Item = { id: string; namespace: string; name: string; version_id: string }

/** Path parameters for every way to address the resource. */
const pathOf = (item: Item): Record<string, string> => ({
  id: item.id,
  namespace: item.namespace,
  name: item.name,
  versionId: item.version_id,
})
export const at =
  <T extends Item>(which: keyof Given<T>): Path<T> =>
  (given) =>
    pathOf(given[which])

const unknownPath = { id: unknownId, namespace: 'mill', name: 'no', versionId: unknownId }

/** Callers that read one resource. */
export const readCases = <T extends Item>(): Row<T>[] => [
  { claim: 'public, signed out', as: null, path: at('foreign'), status: 200 },
  { claim: 'public, without the scope', as: 'key:apps:read', path: at('foreign'), status: 200 },
  { claim: 'of the workspace, as a member', as: 'member', path: at('shared'), status: 200 },
  {
    claim: 'private to a member, as an admin, audited',
    as: 'admin',
    path: at('hidden'),
    status: 200,
    audits: ['team_admin.permission_bypass'],
  },
  { claim: 'private, signed out', as: null, path: at('hidden'), status: 404, code: 'not_found' },
  { claim: 'private to a colleague', as: 'member', path: at('own'), status: 404, code: 'not_found' },
  {
    claim: 'without the scope, a caller counts as signed out',
    as: 'key:apps:read',
    path: at('shared'),
    status: 404,
    code: 'not_found',
  },
  { claim: 'of another workspace', as: 'stranger', path: at('shared'), status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: unknownPath, status: 404, code: 'not_found' },
]

/** Callers that may not change a resource. */
export const writeRefusals = <T extends Item>(body?: unknown): Row<T>[] => [
  { claim: 'no credential', as: null, path: at('shared'), body, status: 401, code: 'unauthorized' },
  {
    claim: 'a read-only key',
    as: 'key:knowledge:read',
    path: at('shared'),
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'another workspace sees nothing', as: 'stranger', path: at('shared'), body, status: 404, code: 'not_found' },
  {
    claim: 'public, of another workspace',
    as: 'owner',
    path: at('foreign'),
    body,
    status: 403,
    code: 'forbidden',
  },
  { claim: 'private to a colleague', as: 'member', path: at('own'), body, status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: unknownPath, body, status: 404, code: 'not_found' },
]

/** Requests that every list of the feature refuses. */
export const listRefusals = <T extends Item>(route: string, path?: Path<T>): Row<T>[] => [
  {
    claim: 'an unknown column is named',
    as: 'owner',
    route,
    path,
    body: { sort: [{ field: 'secret' }] },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a broken cursor', as: 'owner', route, path, body: { cursor: 'x' }, status: 400, code: 'invalid_request' },
]

export const ids = (data: { items: { id: string }[] }): Set<string> => new Set(data.items.map((item) => item.id))
