// Which remote a person means: by id, short id or name.
import type { Remote } from '@millrace/contract/remotes'
import type { Api } from '../api/client.ts'
import { CliFailure } from '../failures.ts'

export const findRemote = async (api: Api, named: string): Promise<Partial<Remote> & { id: string }> => {
  const page = await api.call('remotes.list', {
    body: { limit: 100, filters: [{ field: 'name', operator: 'eq', value: named }] },
  })
  const [first, second] = page.items
  if (second !== undefined)
    throw new CliFailure(`Several remotes are named ${named}; say which by its id (millrace remote list)`)
  if (first?.id !== undefined) return { ...first, id: first.id }
  return api.call('remotes.get', { path: { id: named } }).catch((error: unknown) => {
    if (error instanceof CliFailure && error.status === 404)
      throw new CliFailure(`There is no remote ${named} (millrace remote list)`, { code: 'not_found', status: 404 })
    throw error
  })
}
