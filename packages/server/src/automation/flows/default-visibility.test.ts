// Guarantees: what a member creates without a visibility gets the default of the workspace, in every resource that has one.
import { shortId } from '@millrace/contract/ids'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { echoVersion } from '../../execution/apps/testing/given.ts'
import { createWorld, type World } from '../../testing/world.ts'

describe('the default visibility of a workspace', () => {
  let world: World
  beforeAll(async () => {
    world = await createWorld()
  })
  afterAll(() => world?.close())

  const create = async (name: string): Promise<Record<string, string>> => {
    const bodies = {
      apps: { name, version: echoVersion },
      flows: { name },
      agents: { name, title: name },
      knowledge: { name, description: 'Stones', version: { content: { path: 'a.md', content: 'a' } } },
      artifacts: { title: name, name, type: 'html', content: '<p>a</p>' },
      projects: { name, type: 'other' },
    }
    const answers = await Promise.all(
      Object.entries(bodies).map(async ([resource, body]) => {
        const { data } = await world.call('member', `POST /${resource}`, { body })
        return [resource, data.visibility] as const
      }),
    )
    return Object.fromEntries(answers)
  }
  const everywhere = (visibility: string) => ({
    apps: visibility,
    flows: visibility,
    agents: visibility,
    knowledge: visibility,
    artifacts: visibility,
    projects: visibility,
  })

  it('is private until an admin changes it, and existing items do not change', async () => {
    expect(await create('before')).toEqual(everywhere('private'))
    const changed = await world.call('admin', `POST /teams/${world.team.id}`, { body: { default_visibility: 'team' } })
    expect(changed.data).toMatchObject({ default_visibility: 'team' })
    expect(await create('after')).toEqual(everywhere('team'))
    const flows = await world.call('owner', 'GET /flows')
    expect(flows.data.items.map(({ name }: { name: string }) => name)).toEqual(['after'])
  })

  it('is chosen for a new workspace when it is created', async () => {
    const body = { name: 'Spare', username: `spare-${shortId(world.team.id)}`, default_visibility: 'team' }
    const { data } = await world.call('owner', 'POST /teams', { body })
    expect(data).toMatchObject({ default_visibility: 'team' })
  })
})
