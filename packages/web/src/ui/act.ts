// The action of a button: call the server, confirm, refetch what changed; a refusal becomes a notice. Also removes what
// a page shows.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { refresh } from '../api/refresh.ts'
import { duringRemoval } from '../api/stream.ts'
import { notify, notifyProblem } from './notify.ts'

export type Act<In, Out> = {
  work: (input: In) => Promise<Out>
  /** Query key prefixes, such as `secrets`. */
  touches?: readonly string[]
  done?: string | ((out: Out) => string)
  after?: (out: Out) => unknown
  /** The form shows the refusal itself. */
  quiet?: boolean
}

export const useAct = <In = void, Out = unknown>({ work, touches = [], done, after, quiet = false }: Act<In, Out>) => {
  const client = useQueryClient()
  return useMutation({
    mutationFn: work,
    onSuccess: async (out) => {
      if (done !== undefined) notify(typeof done === 'string' ? done : done(out))
      await Promise.all(touches.map((resource) => refresh(client, { queryKey: [resource] })))
      await after?.(out)
    },
    onError: (error) => {
      if (!quiet) notifyProblem(error)
    },
  })
}

type Removal = {
  work: () => Promise<unknown>
  /** Query key prefix of the lists that contained it. */
  resource: string
  done: string
  leave: () => Promise<void>
}

/** Deletes what the page shows. The page is left without refetching its queries; the list is refetched. */
export const useRemoval = ({ work, resource, done, leave }: Removal): (() => Promise<void>) => {
  const client = useQueryClient()
  return async () => {
    await duringRemoval(async () => {
      await work()
      client.removeQueries({ queryKey: [resource], type: 'inactive' })
      await leave()
    })
    notify(done)
  }
}
