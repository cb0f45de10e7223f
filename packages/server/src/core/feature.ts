// What a feature brings to the server. `app.ts` lists them in order.
import type { FastifyInstance } from 'fastify'
import type { Gate } from '../http/mount.ts'
import type { CronJob, JobHandler } from '../jobs/jobs.ts'
import type { SealedColumn } from '../keyring/sealed-columns.ts'
import type { Platform, UsageCounters } from './ctx.ts'
import type { Operation } from './operation.ts'

export type Feature = {
  readonly name: string
  readonly operations: readonly Operation[]
  /** Doors that are not operations: pages, sockets, byte streams. */
  readonly routes?: (platform: Platform, gate: Gate) => (app: FastifyInstance) => void | Promise<void>
  readonly jobs?: (platform: Platform) => Readonly<Record<string, JobHandler>>
  readonly crons?: (platform: Platform) => readonly CronJob[]
  /** Counters of the entitlement resources that the feature owns, such as `api_keys`. */
  readonly usage?: UsageCounters
  /** Columns that hold sealed values of some duration; a rotated data key seals them again. */
  readonly sealedColumns?: readonly SealedColumn[]
  /** Runs once before the server listens; what it returns is called when the server stops. */
  readonly start?: (platform: Platform) => Promise<() => Promise<void>>
  /** Runs once the server answers requests; what it returns is called first when the server stops. */
  readonly listening?: (platform: Platform) => Promise<() => Promise<void>>
}
