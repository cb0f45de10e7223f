// The first request of the console for an address without a workspace: who is signed in, and in which workspace.
import type { QueryClient } from '@tanstack/react-query'
import { callIn } from './call.ts'
import { isForbidden } from './problem.ts'
import { read } from './queries.ts'
import { enterWorkspace, forgetLastWorkspace, lastWorkspace, workspaceId } from './workspace.ts'

/** Never fails: the page makes the same request and shows the error. */
export const enter = async (client: QueryClient): Promise<void> => {
  if (workspaceId() !== '') return
  const last = lastWorkspace()
  const me = await callIn(last)('me.get')
    .catch((error: unknown) => {
      if (!isForbidden(error) || last === '') throw error
      // The person left that workspace. Without one, the server answers with their own.
      forgetLastWorkspace()
      return callIn('')('me.get')
    })
    .catch(() => undefined)
  if (!me?.team) return
  client.setQueryData(read('me.get').queryKey, me)
  enterWorkspace(me.team.id)
}
