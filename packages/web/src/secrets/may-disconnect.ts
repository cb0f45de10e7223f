// Whether a person may disconnect a connection, by the server's rules; the button is hidden otherwise.
import type { Credential } from '@millrace/contract/credentials'
import type { Session } from '../shell/session.tsx'

type OwnedConnection = Pick<Credential, 'scope' | 'team_id' | 'user_id'>
type Person = { me: { user: { id: string } }; team: { id: string }; can: Session['can'] }

export const mayDisconnect = ({ scope, team_id, user_id }: OwnedConnection, { me, team, can }: Person): boolean => {
  // Connections shared by another workspace are disconnected there.
  if (team_id !== team.id) return false
  if (scope === 'platform') return can('connect_platform_credential')
  if (scope === 'org') return can('connect_org_credential')
  return (scope === 'user' && user_id === me.user.id) || can('manage_vault')
}
