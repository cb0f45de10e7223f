// Who is looking, in which workspace, and what they may do there. The server decides; this only asks.
import type { Me } from '@millrace/contract/identity'
import type { Team } from '@millrace/contract/teams'
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { chooseWorkspace } from '../api/call.ts'
import { read } from '../api/queries.ts'

/** Those of the server's capabilities that the console asks for. */
export type Capability =
  | 'connect_org_credential'
  | 'connect_platform_credential'
  | 'create_keys'
  | 'edit_profile'
  | 'manage_vault'

export type Session = {
  me: Me
  team: Team
  role: 'owner' | 'admin' | 'member'
  /** For doors that ask for the role of an administrator and name no capability: what makes one is changing the workspace. */
  isAdmin: boolean
  can: (capability: Capability) => boolean
  /** Of the installation itself; whether this sign-in may act as such, the server says. */
  isStaff: boolean
}

/** Suspends until the server has said who is signed in; a signed-out visitor is on the way to the sign-in page. */
export const useSession = (): Session => {
  const { data: me } = useSuspenseQuery(read('me.get'))
  const { team } = me
  if (!team) throw new Error('You belong to no workspace. Ask for an invite, or sign in with another address.')
  const role = team.role ?? 'member'
  const can = (capability: Capability): boolean => me.team_view?.can.includes(capability) === true
  return { me, team, role, can, isAdmin: can('edit_profile'), isStaff: me.user.role === 'admin' }
}

/** What the server lets this person do in this workspace. */
export const useCan = (): Session['can'] => useSession().can

export const useWorkspaces = () => useQuery(read('teams.list'))

export const useSwitchWorkspace = (): ((id: string) => void) => {
  const client = useQueryClient()
  return (id) => {
    chooseWorkspace(id)
    void client.resetQueries()
  }
}
