// The workspace, person and kind of the current work, as async context. Database pools use it for timeouts and shares.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Holder } from './fair-share.ts'

export type WorkKind = 'request' | 'list' | 'job' | 'dispatch'

export type Work = {
  readonly kind: WorkKind
  /** The workspace; null for shared work, which is not queued. */
  readonly tenant: string | null
  /** The person behind the work, who may have several workspaces; null or absent without a person. */
  readonly person?: string | null
}

const shared: Work = { kind: 'request', tenant: null }
const storage = new AsyncLocalStorage<Work>()

export const currentWork = (): Work => storage.getStore() ?? shared

export const inWork = <T>(work: Work, run: () => T): T => storage.run(work, run)

export const holderOf = ({ tenant, person = null }: Work): Holder => ({ tenant, person })

/** Runs as another kind of work for the same holder. */
export const asKind = <T>(kind: WorkKind, run: () => T): T => storage.run({ ...currentWork(), kind }, run)

/**
 * Runs shared work that a request only triggers, such as a batch for many callers, so that it does not count for that
 * caller.
 */
export const asSharedWork = <T>(run: () => T): T => storage.run(shared, run)
