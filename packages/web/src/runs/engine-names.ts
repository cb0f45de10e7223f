// The names of the engines that are visible to this workspace.
import { useList } from '../api/list.ts'

export const useEngineNames = (): ReadonlyMap<string, string> => {
  const { items } = useList('engines.list', { include_others: true, limit: 100 })
  return new Map(items.map(({ id, name }) => [id, name]))
}
