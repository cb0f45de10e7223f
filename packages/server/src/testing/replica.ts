// A second server process on a world's database, with the same clock and settings.
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import pino from 'pino'
import { type OpenPlatform, openPlatform } from '#start/platform.ts'
import { createServer } from '#start/server.ts'
import type { World } from './world.ts'

export type Replica = {
  app: FastifyInstance
  open: OpenPlatform
  /** Status of a request with this bearer token. */
  status(token: string, route: string): Promise<number>
  listen(): Promise<string>
  close(): Promise<void>
}

/** If the world is one of several servers, the replica is another one with its own data folder. */
export const openReplica = async (world: World): Promise<Replica> => {
  const { settings } = world.open.platform
  const isFleet = settings.DATABASE_URL !== undefined
  const dataDir = await mkdtemp(join(tmpdir(), 'millrace-replica-'))
  const open = await openPlatform({
    settings: isFleet ? { ...settings, DATA_DIR: dataDir } : settings,
    connectionString: world.connectionString,
    log: pino({ level: 'silent' }),
    now: world.clock.now,
    print: () => {},
    maxConnections: 4,
    isServer: isFleet,
  })
  const server = await createServer(open, { runJobs: false, joins: isFleet }).catch(async (error: unknown) => {
    await open.close()
    throw error
  })
  await server.app.ready()
  return {
    app: server.app,
    open,
    status: async (token, route) => {
      const [method = 'GET', url = '/'] = route.split(' ')
      const headers = { authorization: `Bearer ${token}` }
      return (await server.app.inject({ method: method as 'GET', url, headers })).statusCode
    },
    listen: async () => {
      if (!server.app.server.listening) await server.app.listen({ host: '127.0.0.1', port: 0 })
      return `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`
    },
    close: async () => {
      await server.stop()
      await open.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
