// The callers of the fuzzer. Some requests end a session, revoke a key or remove a membership; callers that were signed
// out sign in again, so that operations behind the sign-in stay covered.
import { mintKey } from '#accounts/access/service.ts'
import { addMember, createSession } from '#accounts/identity/service.ts'
import type { As, Person, World } from './world.ts'

type PersonName = keyof World['people']

export type Caller = { readonly name: string; readonly refused: boolean }

export const callers: readonly Caller[] = [
  ...['platform', 'owner', 'admin', 'member', 'stranger', 'key', 'key-of-member', 'narrow-key'].map((name) => ({
    name,
    refused: false,
  })),
  { name: 'guest', refused: true },
  { name: 'wrong-key', refused: true },
]

export type Callers = {
  /** The credential of the caller and its workspace. */
  credential(caller: Caller): Promise<{ as: As; team?: string }>
  /** Reports the status that a caller received. */
  answered(caller: Caller, status: number): Promise<void>
}

export const createCallers = (world: World): Callers => {
  const credentials = new Map<string, { as: As; team?: string }>()
  const home = (name: string): { person: Person; teamId: string; role: 'owner' | 'admin' | 'member' } => {
    const known: Record<string, PersonName> = { key: 'owner', 'key-of-member': 'member', 'narrow-key': 'owner' }
    const who = known[name] ?? (name as PersonName)
    const person = world.people[who]
    if (who === 'platform') return { person, teamId: person.personalTeamId, role: 'owner' }
    if (who === 'stranger') return { person, teamId: world.otherTeam.id, role: 'owner' }
    return { person, teamId: world.team.id, role: who === 'admin' ? 'admin' : who === 'member' ? 'member' : 'owner' }
  }

  /** Restores bans, deletions and memberships to their initial state. */
  const restore = async (person: Person, teamId: string, role: 'owner' | 'admin' | 'member'): Promise<void> => {
    const { db } = world.open.platform
    await db
      .updateTable('users')
      .set({ banned_at: null, deleted_at: null, totp_confirmed_at: null })
      .where('id', '=', person.userId)
      .execute()
    await db.updateTable('teams').set({ status: 'active', deleted_at: null }).where('id', '=', teamId).execute()
    await addMember(world.ctx(), teamId, person.userId, role)
  }

  const signIn = async (name: string): Promise<{ as: As; team?: string }> => {
    if (name === 'guest') return { as: null }
    if (name === 'wrong-key') return { as: { token: 'mill-broken' } }
    const { person, teamId, role } = home(name)
    await restore(person, teamId, role)
    if (!name.includes('key')) {
      const { secret } = await createSession(world.ctx(), {
        userId: person.userId,
        kind: 'token',
        authMethod: 'magic-link',
        elevated: name === 'platform',
      })
      return { as: { token: secret }, team: teamId }
    }
    const { text } = await mintKey(world.ctx(), {
      teamId,
      userId: person.userId,
      createdBy: person.userId,
      name,
      scope: 'user',
      scopes: name === 'narrow-key' ? ['apps:read', 'apps:execute'] : [],
      holdsEngineScopes: name === 'key',
      source: '',
      expiresAt: null,
    })
    return { as: { token: text } }
  }

  return {
    credential: async ({ name }) => {
      const known = credentials.get(name) ?? (await signIn(name))
      credentials.set(name, known)
      return known
    },
    answered: async (caller, status) => {
      if (status === 401 && !caller.refused) credentials.delete(caller.name)
    },
  }
}
