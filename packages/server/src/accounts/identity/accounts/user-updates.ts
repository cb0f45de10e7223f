// Notifies the workspaces of a person about changes of the account. The personal workspace gets all fields; other
// workspaces get those that the list of members shows.
import { teamSubject } from '#platform/bus/subjects.ts'
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { userDto } from '../dto.ts'
import { findUser, listTeamsOf } from './accounts-store.ts'

/** Call in the transaction that changed the account; `teamId` notifies only one workspace, for a new member. */
export const reportUser = async (ctx: Ctx<Actor>, userId: string, teamId?: string): Promise<void> => {
  const row = await findUser(ctx.db, userId)
  if (!row) return
  const user = userDto(row)
  const { id, email, name, full_name, avatar_url, updated_at } = user
  const shown = { email, name, full_name, avatar_url, updated_at }
  const partial = { name: 'users', data: { id, ...shown }, fields: Object.keys(shown) }
  for (const team of await listTeamsOf(ctx.db, userId)) {
    if (teamId !== undefined && team.id !== teamId) continue
    ctx.emit({
      subject: teamSubject(team.id),
      data: team.type === 'personal' ? { name: 'users', data: user } : partial,
    })
  }
}
