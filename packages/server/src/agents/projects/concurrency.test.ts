// Guarantees: a project can be deleted while others add to it, rename it or delete it. Nothing references a deleted
// project afterwards, and no call answers with an internal error. A deleted chat cannot be moved.
import type { Project } from '@millrace/contract/projects'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { scenarios } from '../../testing/scenarios.ts'
import type { World } from '../../testing/world.ts'
import { chatWith } from '../chats/testing/given.ts'

const rounds = 8

const make = async (world: World, parent?: Project): Promise<Project> =>
  (await world.call('owner', 'POST /projects', { body: { name: 'P', type: 'other', parent_id: parent?.id } })).data

const remove = (world: World, { id }: Project) => world.call('owner', `DELETE /projects/${id}`)

const nothing = async () => ({})

/** The statuses of the calls over several rounds, each with a fresh project and parent. */
const statusesOf = async (
  world: World,
  calls: (project: Project, parent: Project) => Promise<{ status: number }>[],
): Promise<Set<number>> => {
  const seen = new Set<number>()
  for (let round = 0; round < rounds; round += 1) {
    const parent = await make(world)
    const project = await make(world, parent)
    for (const { status } of await Promise.all(calls(project, parent))) seen.add(status)
  }
  return seen
}

scenarios('projects.delete', nothing, [
  {
    claim: 'while children are created in it',
    as: 'owner',
    act: async (world) => {
      const below = (parent: Project) =>
        world.call('owner', 'POST /projects', { body: { name: 'C', type: 'other', parent_id: parent.id } })
      const seen = await statusesOf(world, (project) => [below(project), remove(world, project), below(project)])
      expect([...seen].filter((status) => status !== 200 && status !== 400)).toEqual([])
      return remove(world, await make(world))
    },
    status: 200,
  },
  {
    claim: 'while it is renamed, read, and deleted together with its parent',
    as: 'owner',
    act: async (world) => {
      const seen = await statusesOf(world, (project, parent) => [
        remove(world, project),
        world.call('owner', `POST /projects/${project.id}`, { body: { name: 'N' } }),
        world.call('owner', `POST /projects/${project.id}/visibility`, { body: { visibility: 'team' } }),
        remove(world, parent),
        remove(world, project),
      ])
      expect([...seen].filter((status) => status !== 200 && status !== 404)).toEqual([])
      return remove(world, await make(world))
    },
    status: 200,
  },
  {
    claim: 'while a chat is moved into it',
    as: 'owner',
    act: async (world) => {
      const chat = await chatWith(world)
      await statusesOf(world, (project) => [
        world.call('owner', 'POST /projects/move', { body: { project_id: project.id, chat_id: chat } }),
        remove(world, project),
      ])
      const { rows } = await sql<{ id: string }>`
        select id from chats where project_id is not null
          and not exists (select from projects where projects.id = chats.project_id)`.execute(world.open.platform.db)
      expect(rows).toEqual([])
      return remove(world, await make(world))
    },
    status: 200,
  },
])

scenarios('projects.move', nothing, [
  {
    claim: 'a deleted chat',
    as: 'owner',
    act: async (world) => {
      const chat = await chatWith(world)
      await world.call('owner', `DELETE /chats/${chat}`)
      const moved = await world.call('stranger', 'POST /projects/move', { body: { project_id: null, chat_id: chat } })
      expect(moved.status).toBe(404)
      return world.call('owner', 'POST /projects/move', { body: { project_id: null, chat_id: chat } })
    },
    status: 409,
    code: 'chat_archived',
  },
])

scenarios('projects.get', nothing, [
  {
    claim: 'a readable child is listed however many unreadable ones there are',
    as: 'member',
    act: async (world) => {
      const parent = await make(world)
      await world.call('owner', `POST /projects/${parent.id}/visibility`, { body: { visibility: 'team' } })
      await sql`insert into projects (id, team_id, user_id, name, type, parent_id, created_at, updated_at)
        select substr(md5(n::text || id) || md5(id), 1, 26), team_id, user_id, 'A', type, id, created_at, updated_at
        from projects, generate_series(1, 500) n where id = ${parent.id}`.execute(world.open.platform.db)
      await world.call('member', 'POST /projects', { body: { name: 'Z', type: 'other', parent_id: parent.id } })
      return world.call('member', `GET /projects/${parent.id}`)
    },
    status: 200,
    check: ({ data }) => expect(data.children.map((child: Project) => child.name)).toEqual(['Z']),
  },
])
