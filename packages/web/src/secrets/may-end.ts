// Whose connection a person may end, as the server judges it: the button that would be refused is not shown.
import type { Credential } from '@millrace/contract/credentials'
import type { Session } from '../shell/session.tsx'

type Held = Pick<Credential, 'scope' | 'team_id' | 'user_id'>
type Person = { me: { user: { id: string } }; team: { id: string }; can: Session['can'] }

export const mayEnd = ({ scope, team_id, user_id }: Held, { me, team, can }: Person): boolean => {
  // What another workspace shares is ended there.
  if (team_id !== team.id) return false
  if (scope === 'platform') return can('connect_platform_credential')
  if (scope === 'org') return can('connect_org_credential')
  return (scope === 'user' && user_id === me.user.id) || can('manage_vault')
}
