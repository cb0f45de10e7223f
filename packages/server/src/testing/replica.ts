// A second server over a world's database: its own process parts, the same clock and settings.
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { openPlatform } from '../platform.ts'
import { createServer } from '../server.ts'
import type { World } from './world.ts'

export type Replica = {
  app: FastifyInstance
  /** Status of a request with this bearer. */
  status(token: string, door: string): Promise<number>
  close(): Promise<void>
}

export const openReplica = async (world: World): Promise<Replica> => {
  const open = await openPlatform({
    settings: world.open.platform.settings,
    connectionString: world.connectionString,
    log: pino({ level: 'silent' }),
    now: world.clock.now,
    print: () => {},
    maxConnections: 4,
  })
  const server = await createServer(open, { connectionString: world.connectionString, runJobs: false })
  await server.app.ready()
  return {
    app: server.app,
    status: async (token, door) => {
      const [method = 'GET', url = '/'] = door.split(' ')
      const headers = { authorization: `Bearer ${token}` }
      return (await server.app.inject({ method: method as 'GET', url, headers })).statusCode
    },
    close: async () => {
      await server.stop()
      await open.close()
    },
  }
}
