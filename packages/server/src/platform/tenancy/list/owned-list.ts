// The list engine for rows with a user and a workspace: items also contain their owners, and other embedded data on
// request.
import type { Page } from '@millrace/contract/common'
import type { SelectQueryBuilder } from 'kysely'
import type { Database } from '../../db/schema.gen.ts'
import { embedOwners, type OwnedItem } from '../relations.ts'
import { type ListOptions, runList } from './list.ts'

export type OwnedListOptions<Row, Item> = ListOptions<Row, Item> & {
  /** Adds embedded data to the items; `rows[i]` is the row of `items[i]`. */
  embed?: (rows: readonly Row[], items: readonly Partial<Item>[]) => Promise<void>
}

export const runOwnedList = async <
  TB extends keyof Database,
  Row extends { user_id: string; team_id: string },
  Item extends { id: string } & OwnedItem,
>(
  query: SelectQueryBuilder<Database, TB, Row>,
  { embed, ...options }: OwnedListOptions<Row, Item>,
): Promise<Page<Partial<Item>>> => {
  const rows: Row[] = []
  const page = await runList(query, {
    ...options,
    toItem: (row) => {
      rows.push(row)
      return options.toItem(row)
    },
  })
  await embed?.(rows, page.items)
  await embedOwners(options.db, rows, page.items, options.request.preloads)
  return page
}
