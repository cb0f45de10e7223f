// Queries of remotes. Each is private to its owner; administrators of the workspace may see that it exists, which is
// audited.
import type { ListRequest, Page } from '@millrace/contract/common'
import type { Remote } from '@millrace/contract/remotes'
import type { Member } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readSnapshot } from '#platform/db/read-snapshot.ts'
import { runOwnedList } from '#platform/tenancy/list/owned-list.ts'
import type { ListSpec } from '#platform/tenancy/list/spec.ts'
import { assertReadable, assertRunnable, listedWith, listReach } from '#platform/tenancy/private-access.ts'
import { profileDto, remoteDto } from './dto.ts'
import * as store from './store.ts'

const listSpec: ListSpec = {
  id: 'remotes.id',
  columns: {
    id: { ref: 'remotes.id', type: 'text' },
    name: { ref: 'remotes.name', type: 'text' },
    status: { ref: 'remotes.status', type: 'text' },
    exec_enabled: { ref: 'remotes.exec_enabled', type: 'boolean' },
    created_at: { ref: 'remotes.created_at', type: 'time' },
    updated_at: { ref: 'remotes.updated_at', type: 'time' },
  },
  search: ['name'],
}

export const list = async (ctx: Ctx<Member>, request: ListRequest): Promise<Page<Partial<Remote>>> => {
  const reach = await listReach(ctx, request, 'remote')
  return runOwnedList(store.selectRemotes(ctx.db).where(listedWith(ctx.actor, 'remotes', reach, request.permissions)), {
    db: ctx.db,
    spec: listSpec,
    request,
    toItem: (row) => remoteDto(row, []),
    notice: ctx.notice,
    embed: async (rows, items) => {
      const profiles = await store.profilesOf(
        ctx.db,
        rows.map((row) => row.id),
      )
      for (const [index, item] of items.entries())
        if (item.profiles) item.profiles = profiles.filter((one) => one.remote_id === rows[index]?.id).map(profileDto)
    },
  })
}

export const get = async (ctx: Ctx<Member>, id: string): Promise<Remote> => {
  const { row, profiles } = await readSnapshot(ctx.db, async (db) => {
    const row = await store.findRemote(db, id)
    return { row, profiles: row ? await store.profilesOf(db, [row.id]) : [] }
  })
  return remoteDto(await assertReadable(ctx, row, 'remote'), profiles)
}

/** For everything that accesses the machine itself: only its owner, in the workspace where it was registered. */
export const findOwn = async (ctx: Ctx<Member>, id: string): Promise<store.RemoteRow> => {
  const row = assertRunnable(ctx, await store.findRemote(ctx.db, id), 'remote')
  if (row.team_id !== ctx.actor.teamId || row.user_id !== ctx.actor.userId) throw fail('not_found', 'Remote not found')
  return row
}
