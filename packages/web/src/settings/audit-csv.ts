// The audit log as a CSV file, with names instead of ids where the log has them. Pure.
import type { AuditEntry } from '@millrace/contract/access'
import { csvText } from '../ui/csv.ts'

/** Fields of an entry's details that name the resource, the most exact first. */
const nameFields = ['ref', 'key', 'name', 'email', 'title'] as const

/** Empty when the entry does not name its resource. */
export const resourceNameOf = ({ meta }: Pick<AuditEntry, 'meta'>): string => {
  const found = nameFields.map((field) => meta[field]).find((value) => typeof value === 'string' && value !== '')
  return typeof found === 'string' ? found : ''
}

const header = [
  'time',
  'action',
  'resource',
  'resource_name',
  'resource_id',
  'actor',
  'actor_kind',
  'actor_id',
  'ip',
  'details',
]

export const auditCsv = (entries: readonly AuditEntry[], nameOf: (userId: string) => string): string =>
  csvText(
    header,
    entries.map((entry) => [
      entry.created_at,
      entry.action,
      entry.resource_type,
      resourceNameOf(entry),
      entry.resource_id,
      nameOf(entry.actor_user_id),
      entry.actor_kind,
      entry.actor_user_id,
      entry.ip,
      JSON.stringify(entry.meta),
    ]),
  )
