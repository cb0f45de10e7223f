// For whom the process works at this moment, and what kind of work it is. The database's lanes read it: a list may take
// less time than a job, and no workspace may hold every connection.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Holder } from './shares.ts'

export type WorkKind = 'request' | 'list' | 'job' | 'dispatch'

export type Work = {
  readonly kind: WorkKind
  /** A workspace, or null for work that belongs to all of them and waits behind none. */
  readonly tenant: string | null
  /** The person behind the work, who may have many workspaces; null or absent for work of no person. */
  readonly person?: string | null
}

const shared: Work = { kind: 'request', tenant: null }
const storage = new AsyncLocalStorage<Work>()

export const currentWork = (): Work => storage.getStore() ?? shared

export const inWork = <T>(work: Work, run: () => T): T => storage.run(work, run)

export const holderOf = ({ tenant, person = null }: Work): Holder => ({ tenant, person })

/** The same tenant's work, of another kind. */
export const asKind = <T>(kind: WorkKind, run: () => T): T => storage.run({ ...currentWork(), kind }, run)

/**
 * For what a request sets going but does not own: a batch that serves many callers, a loop that is woken. It must not
 * wait behind the caller that happened to come first.
 */
export const apart = <T>(run: () => T): T => storage.run(shared, run)
