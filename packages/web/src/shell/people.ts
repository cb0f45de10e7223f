// The people of the workspace by name.
import { useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { useSession } from './session.tsx'

export type People = {
  people: { id: string; name: string }[]
  /** For people who left, the beginning of their id. */
  nameOf: (userId: string) => string
}

export const usePeople = (): People => {
  const { team } = useSession()
  const { data = [] } = useQuery({ ...read('members.list', { path: { id: team.id } }), staleTime: 300_000 })
  const people = data.map(({ user_id, user }) => ({
    id: user_id,
    name: user?.full_name || user?.name || user?.email || user_id,
  }))
  const names = new Map(people.map(({ id, name }) => [id, name]))
  return { people, nameOf: (userId) => names.get(userId) ?? userId.slice(0, 8) }
}
