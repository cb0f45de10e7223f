// The signed-in person, their workspace and their permissions in it, as the server reports them.
import type { Me } from '@millrace/contract/identity'
import type { Team } from '@millrace/contract/teams'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'

/** The capabilities of the server that the console checks. */
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
  /** For operations that require an admin and have no capability of their own. */
  isAdmin: boolean
  can: (capability: Capability) => boolean
  /** Staff of the installation. The server decides whether this session may use it. */
  isStaff: boolean
}

/** Suspends until the person is loaded. A signed-out visitor is redirected to the sign-in page. */
export const useSession = (): Session => {
  const { data: me } = useSuspenseQuery(read('me.get'))
  const { team } = me
  if (!team) throw new Error('You belong to no workspace. Ask for an invite, or sign in with another address.')
  const role = team.role ?? 'member'
  const can = (capability: Capability): boolean => me.team_view?.can.includes(capability) === true
  return { me, team, role, can, isAdmin: can('edit_profile'), isStaff: me.user.role === 'admin' }
}

/** The permissions of the person in this workspace. */
export const useCan = (): Session['can'] => useSession().can

export const useWorkspaces = () => useQuery(read('teams.list'))
