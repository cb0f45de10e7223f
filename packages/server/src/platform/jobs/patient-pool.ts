// The library notes that a job is done without waiting for it, and tries again after a few errors only; after any other,
// the process would die of a rejection that nobody hears. A broken connection is told to it as one of the few.
import type pg from 'pg'
import { isDatabaseAway } from '../db/away.ts'

/** SQLSTATE of a server that takes no connections for the moment. */
const comeAgain = '57P03'

const retold = (error: unknown): unknown =>
  isDatabaseAway(error)
    ? Object.assign(new Error('The database is away', { cause: error }), { code: comeAgain })
    : error

const retell = (error: unknown): never => {
  throw retold(error)
}

const patientClient = (client: pg.PoolClient): pg.PoolClient =>
  new Proxy(client, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'query') return value.bind(target)
      return (...query: unknown[]) => value.apply(target, query).catch(retell)
    },
  })

export const patient = (pool: pg.Pool): pg.Pool =>
  new Proxy(pool, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'connect') return value.bind(target)
      // With a function, it is the connection on which news is heard: the library dials that anew by itself.
      return (hear?: Parameters<pg.Pool['connect']>[0]) =>
        hear ? target.connect(hear) : target.connect().then(patientClient, retell)
    },
  })
