// The first fields of every resource on the wire, in this order.
import { shortId } from '@millrace/contract/ids'

type Owned = { id: string; created_at: string; updated_at: string; user_id: string; team_id: string }

/** Deleted rows are usually not returned; resources that return them override the field. */
export const resourceFields = (row: Owned) => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  user_id: row.user_id,
  user: null,
  team_id: row.team_id,
  team: null,
})
