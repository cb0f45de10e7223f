// The audit log as the admins of a workspace read it.
import type { AuditEntry } from '@millrace/contract/access'
import type { ListRequest, Page } from '@millrace/contract/common'
import type { Ctx } from '../core/ctx.ts'
import type { Db } from '../db/database.ts'
import { runList } from '../db/list/list.ts'
import type { ListSpec } from '../db/list/spec.ts'

const textColumns = [
  'id',
  'actor_user_id',
  'actor_kind',
  'actor_id',
  'action',
  'resource_type',
  'resource_id',
  'ip',
  'user_agent',
] as const

const listSpec: ListSpec = {
  id: 'audit_log.id',
  columns: {
    ...Object.fromEntries(textColumns.map((name) => [name, { ref: `audit_log.${name}`, type: 'text' as const }])),
    created_at: { ref: 'audit_log.created_at', type: 'time' },
  },
  search: ['action', 'resource_id', 'actor_user_id'],
}

const entriesOf = (db: Db, teamId: string) =>
  db
    .selectFrom('audit_log')
    .select([
      'id',
      'created_at',
      'team_id',
      'actor_user_id',
      'actor_kind',
      'actor_id',
      'action',
      'resource_type',
      'resource_id',
      'meta',
      'ip',
      'user_agent',
      'hash',
      'previous_hash',
    ])
    .where('team_id', '=', teamId)

export const listAudit = ({ db, actor, notice }: Ctx, request: ListRequest): Promise<Page<Partial<AuditEntry>>> =>
  runList(entriesOf(db, actor.teamId), {
    db,
    spec: listSpec,
    request,
    toItem: (row): AuditEntry => ({ ...row, meta: row.meta as AuditEntry['meta'] }),
    notice,
  })
