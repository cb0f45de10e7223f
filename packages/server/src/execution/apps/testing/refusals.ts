// Refusals that all changes of an app share.
import { newId } from '@millrace/contract/ids'
import type { Scenario } from '../../../testing/scenarios.ts'
import type { World } from '../../../testing/world.ts'
import { type GivenApps, givenApps } from './given.ts'

export const refusals = <G extends GivenApps>(body: unknown, rest: Record<string, string> = {}): Scenario<G>[] => [
  {
    claim: 'no credential',
    as: null,
    path: ({ shared }) => ({ id: shared.id, ...rest }),
    body,
    status: 401,
    code: 'unauthorized',
  },
  {
    claim: 'a key without the scope',
    as: 'key:apps:read,apps:execute',
    path: ({ shared }) => ({ id: shared.id, ...rest }),
    body,
    status: 403,
    code: 'insufficient_scope',
  },
  { claim: 'not there', as: 'owner', path: { id: newId(), ...rest }, body, status: 404, code: 'not_found' },
  {
    claim: 'another workspace',
    as: 'stranger',
    path: ({ shared }) => ({ id: shared.id, ...rest }),
    body,
    status: 404,
    code: 'not_found',
  },
  {
    claim: 'a private app of another workspace',
    as: 'owner',
    path: ({ secret }) => ({ id: secret.id, ...rest }),
    body,
    status: 404,
    code: 'not_found',
  },
]

export const readOnly = <G extends GivenApps>(body: unknown, rest: Record<string, string> = {}): Scenario<G> => ({
  claim: 'readable but not writable',
  as: 'owner',
  path: ({ foreign }) => ({ id: foreign.id, ...rest }),
  body,
  status: 403,
  code: 'forbidden',
})

/** The shared app with a value in every field. */
export const tagged = async (world: World): Promise<GivenApps> => {
  const apps = await givenApps(world)
  const body = { title: 'Old', description: 'Before', agent_description: 'For agents', category: 'text', tags: ['one'] }
  const { data } = await world.call('owner', `PATCH /apps/${apps.shared.id}`, { body })
  return { ...apps, shared: data }
}
