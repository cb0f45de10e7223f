// The library marks a job as done without awaiting the result, and retries only after a few errors; after any other, an
// unhandled rejection would end the process. This pool reports connection errors as one of the retried ones.
import type pg from 'pg'
import { isDatabaseUnavailable } from '../db/unavailable.ts'

/** SQLSTATE of a server that accepts no connections at the moment. */
const cannotConnectNow = '57P03'

const asRetriedError = (error: unknown): unknown =>
  isDatabaseUnavailable(error)
    ? Object.assign(new Error('The database is not reachable', { cause: error }), { code: cannotConnectNow })
    : error

const throwRetried = (error: unknown): never => {
  throw asRetriedError(error)
}

const retryingClient = (client: pg.PoolClient): pg.PoolClient =>
  new Proxy(client, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'query') return value.bind(target)
      return (...query: unknown[]) => value.apply(target, query).catch(throwRetried)
    },
  })

export const retryingPool = (pool: pg.Pool): pg.Pool =>
  new Proxy(pool, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'connect') return value.bind(target)
      // With a callback, it is the connection for notifications, which the library reopens itself.
      return (callback?: Parameters<pg.Pool['connect']>[0]) =>
        callback ? target.connect(callback) : target.connect().then(retryingClient, throwRetried)
    },
  })
