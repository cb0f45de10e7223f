// Artifacts for tests, created through the API.
import type { Artifact } from '@millrace/contract/artifacts'
import { newId } from '@millrace/contract/ids'
import type { Scenario } from '../../../testing/scenarios.ts'
import type { As, World } from '../../../testing/world.ts'

export const freshName = (): string => `page-${newId().slice(0, 12)}`

const done = <T>(answer: { status: number; text: string; data: T }): T => {
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.data
}

export const givenArtifact = async (world: World, as: As, body: object = {}): Promise<Artifact> =>
  done(
    await world.call(as, 'POST /artifacts', {
      body: { name: freshName(), title: 'A page', content: '<p>one</p>', ...body },
    }),
  )

export const publishOver = async (world: World, as: As, id: string, body: object = {}): Promise<Artifact> =>
  done(await world.call(as, `POST /artifacts/${id}/versions`, { body: { content: '<p>two</p>', ...body } }))

export const show = async (world: World, as: As, artifact: Artifact, visibility: string): Promise<Artifact> =>
  done(await world.call(as, `POST /artifacts/${artifact.id}/visibility`, { body: { visibility } }))

export type Given = Record<'shared' | 'own' | 'hidden' | 'foreign', Artifact>

export const givenArtifacts = async (world: World): Promise<Given> => ({
  shared: await show(world, 'owner', await givenArtifact(world, 'owner'), 'team'),
  own: await givenArtifact(world, 'owner'),
  hidden: await givenArtifact(world, 'member'),
  foreign: await show(world, 'stranger', await givenArtifact(world, 'stranger'), 'public'),
})

const made = new WeakMap<World, Promise<Given>>()
/** Rows that are shared by all scenarios of a world, for tables that only read. */
export const sameArtifacts = (world: World): Promise<Given> => {
  const known = made.get(world) ?? givenArtifacts(world)
  made.set(world, known)
  return known
}

export const unknownId = 'art_00000000000000000000000000'
const unknownPath = { id: unknownId, namespace: 'mill', name: 'no', versionId: unknownId.slice(4) }

export const at =
  (which: keyof Given) =>
  (given: Given): Record<string, string> => {
    const { id, namespace, name, version_id } = given[which]
    return { id, namespace, name, versionId: version_id }
  }

type Row = Scenario<Given>

export const readCases: Row[] = [
  { claim: 'public, signed out', as: null, path: at('foreign'), status: 200 },
  { claim: 'of the workspace', as: 'member', path: at('shared'), status: 200 },
  { claim: 'private, signed out', as: null, path: at('hidden'), status: 404, code: 'not_found' },
  { claim: 'without the scope', as: 'key:apps:read', path: at('shared'), status: 404, code: 'not_found' },
  { claim: 'of another workspace', as: 'stranger', path: at('shared'), status: 404, code: 'not_found' },
  { claim: 'not there', as: 'owner', path: unknownPath, status: 404, code: 'not_found' },
]

export const writeRefusals = (body?: unknown): Row[] => [
  { claim: 'no credential', as: null, path: at('shared'), body, status: 401, code: 'unauthorized' },
  {
    claim: 'a read-only key',
    as: 'key:artifacts:read',
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
  { claim: 'not there', as: 'owner', path: unknownPath, body, status: 404, code: 'not_found' },
]

export const listRefusals = (route: string, path?: Row['path']): Row[] => [
  {
    claim: 'a column',
    as: 'owner',
    route,
    path,
    body: { sort: [{ field: 'x' }] },
    status: 400,
    code: 'validation_error',
  },
  { claim: 'a broken cursor', as: 'owner', route, path, body: { cursor: 'x' }, status: 400, code: 'invalid_request' },
]
