// Guarantees: an invite grants only roles that its sender may still grant: a removed or demoted person cannot return
// through their own invite.
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world?.close())

const url = () => `/teams/${world.team.id}`

const invite = async (as: 'owner' | 'admin', role: string, email = 'stranger@example.com'): Promise<string> => {
  const made = await world.call(as, `POST ${url()}/invites`, { body: { email, role } })
  expect(made.status, made.text).toBe(200)
  return made.data.id
}

const accept = (id: string) => world.call('stranger', `POST /invites/${id}/accept`)

it('an admin who is removed leaves no invite behind', async () => {
  const id = await invite('admin', 'admin')
  const other = await invite('owner', 'member', 'somebody@example.com')
  await world.call('owner', `DELETE ${url()}/members/${world.people.admin.userId}`)
  expect((await accept(id)).code).toBe('invite_invalid')
  const { data } = await world.call('owner', `GET ${url()}/invites`)
  const statuses = new Map(data.map((row: { id: string; status: string }) => [row.id, row.status]))
  expect([statuses.get(id), statuses.get(other)]).toEqual(['revoked', 'pending'])
  expect(await world.audits()).toContain('invite.revoked')
})

it('one who becomes a plain member neither', async () => {
  const id = await invite('admin', 'member')
  await world.call('owner', `POST ${url()}/members/${world.people.admin.userId}/role`, { body: { role: 'member' } })
  expect((await accept(id)).code).toBe('invite_invalid')
})

it('an owner who becomes an admin keeps those that an admin may send', async () => {
  const setRole = (as: 'owner' | 'admin', who: 'owner' | 'admin', role: string) =>
    world.call(as, `POST ${url()}/members/${world.people[who].userId}/role`, { body: { role } })
  await setRole('owner', 'admin', 'owner')
  const asOwner = await invite('owner', 'owner', 'second@example.com')
  const asMember = await invite('owner', 'member')
  expect((await setRole('admin', 'owner', 'admin')).status).toBe(200)
  const { data } = await world.call('admin', `GET ${url()}/invites`)
  expect(data.find((row: { id: string }) => row.id === asOwner).status).toBe('revoked')
  expect((await accept(asMember)).status).toBe(200)
})
