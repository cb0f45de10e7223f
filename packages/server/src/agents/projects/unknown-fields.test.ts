// Guarantees: unknown fields in the bodies of project operations are ignored. They cannot change the workspace, owner
// or visibility of a project, and a project may be sent back as it was read.
import type { Project } from '@millrace/contract/projects'
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'

const prepare = async (world: World) => {
  const made = await world.call('owner', 'POST /projects', { body: { name: 'P', type: 'other' } })
  const shown = await world.call('owner', `POST /projects/${made.data.id}/visibility`, { body: { visibility: 'team' } })
  return { project: shown.data as Project }
}

const claims = (world: World) => ({
  id: '0'.repeat(26),
  short_id: '00000000',
  team_id: world.otherTeam.id,
  user_id: '0'.repeat(26),
  visibility: 'public',
  created_at: '2001-01-01T00:00:00Z',
  team: null,
  children: [],
  no_such_column: 1,
})

scenarios('projects.create', prepare, [
  {
    claim: 'a body with an owner',
    as: 'owner',
    act: (world) => world.call('owner', 'POST /projects', { body: { name: 'P', type: 'app', ...claims(world) } }),
    status: 200,
    audits: ['project.created'],
    check: ({ data }, { project }) => {
      expect(data).toMatchObject({ team_id: project.team_id, user_id: project.user_id, visibility: 'private' })
      expect(data.created_at >= project.created_at).toBe(true)
    },
  },
])

scenarios('projects.update', prepare, [
  {
    claim: 'a body with another owner',
    as: 'member',
    act: (world, { project }) =>
      world.call('member', `POST /projects/${project.id}`, { body: { color: 'red', ...claims(world) } }),
    status: 200,
    check: ({ data }, { project }) => {
      const { id, team_id, user_id, created_at } = project
      expect(data).toMatchObject({ id, team_id, user_id, created_at, visibility: 'team', color: 'red' })
    },
  },
  {
    claim: 'the project as it was read',
    as: 'owner',
    act: async (world, { project }) => {
      const read = await world.call('owner', `GET /projects/${project.id}`)
      return world.call('owner', `POST /projects/${project.id}`, { body: read.data })
    },
    status: 200,
  },
])
