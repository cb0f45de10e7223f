// Guards: the installation's keys can be changed while it is used, without one refused request; and without the right
// master key it does not start, says what to do, and leaves everything as it was.
import { randomBytes } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient, inParallel } from './support/client.ts'
import { millrace, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const limitMs = 180_000
const requestsPerSecond = 200
const leastLoadSeconds = 3
/** A machine that is slower than the pace is not pushed into refusing for want of a database connection. */
const mostInFlight = 64
const env = { ENGINE: 'false' }

const keyFile = (server: ServerProcess) => join(server.dataDir, 'master.key')

const openClient = async (server: ServerProcess): Promise<Client> => {
  const { session_token, team_id } = await signIn(server.dataDir, 'keeper@example.com', 'keepers')
  return createClient(server.url, { token: session_token, teamId: team_id })
}

describe('rotation under load', () => {
  let server: ServerProcess
  let client: Client
  beforeAll(async () => {
    server = await startServer({ env })
    client = await openClient(server)
  }, limitMs)
  afterAll(() => server?.remove())

  it(
    'no request fails, every value stays what it is, and the old key is gone',
    async () => {
      const values = new Map(Array.from({ length: 20 }, (_, index) => [`LOADED_${index}`, `value ${index} `.repeat(4)]))
      for (const [key, value] of values) await client.call('POST /secrets', { key, value })
      const before = await readFile(keyFile(server), 'utf8')

      const failures: string[] = []
      let sent = 0
      let inFlight = 0
      const one = async (): Promise<void> => {
        const number = sent++
        const key = `LOADED_${number % values.size}`
        if (number % 4 === 0) {
          const name = `FRESH_${number}`
          const made = await client.call('POST /secrets', { key: name, value: `value of ${name}` })
          if (made.status !== 200) failures.push(`POST ${made.status}`)
        } else {
          const { status, data } = await client.call(`GET /secrets/reveal/${key}`)
          const { value } = (data ?? {}) as { value?: string }
          if (status !== 200 || value !== values.get(key)) failures.push(`reveal ${key}: ${status}`)
        }
      }
      const counted = async (work: () => Promise<void>): Promise<void> => {
        inFlight += 1
        await work().catch((error: unknown) => void failures.push(String(error)))
        inFlight -= 1
      }
      let rotating = true
      const load = (async () => {
        const running: Promise<void>[] = []
        const startedAt = Date.now()
        // For as long as keys are being rotated; the least number of seconds keeps a quick machine honest.
        for (let tick = startedAt; rotating || tick < startedAt + leastLoadSeconds * 1000; tick += 50) {
          for (let count = 0; count < requestsPerSecond / 20 && inFlight < mostInFlight; count++)
            running.push(counted(one))
          await sleep(Math.max(0, tick + 50 - Date.now()))
        }
        await Promise.all(running)
      })()
      const rotations = (async () => {
        await sleep(500)
        const master = JSON.parse(await millrace(server.dataDir, 'admin', 'rotate-master-key', '--json'))
        const data = JSON.parse(
          await millrace(server.dataDir, 'admin', 'rotate-data-key', '--team', 'keepers', '--json'),
        )
        return { master, data }
      })().finally(() => {
        rotating = false
      })
      const [{ master, data }] = await Promise.all([rotations, load])

      expect(failures).toEqual([])
      expect(sent).toBeGreaterThanOrEqual(requestsPerSecond)
      expect(master.resealed).toBeGreaterThanOrEqual(2)
      expect(data.resealed).toBeGreaterThanOrEqual(values.size)
      const after = await readFile(keyFile(server), 'utf8')
      expect(after.trim().split('\n')).toHaveLength(1)
      expect(after).not.toBe(before)
      expect((await stat(keyFile(server))).mode & 0o777).toBe(0o600)

      // Nothing is left that only the old keys open: a second pass finds no work, and a new process reads everything.
      const again = JSON.parse(await millrace(server.dataDir, 'admin', 'doctor', '--json'))
      expect(again.checks.find((check: { name: string }) => check.name === 'encryption key')).toMatchObject({
        ok: true,
      })
      await server.stop()
      const next = await startServer({ dataDir: server.dataDir, env })
      try {
        const reader = await openClient(next)
        for (const [key, value] of values)
          expect((await reader.call(`GET /secrets/reveal/${key}`)).data).toEqual({ key, value })
        const fresh = await reader.call('POST /secrets/list', {
          limit: -1,
          filters: [{ field: 'key', operator: 'like', value: 'FRESH_%' }],
        })
        await inParallel((fresh.data as { items: { key: string }[] }).items, 8, async ({ key }) => {
          expect((await reader.call(`GET /secrets/reveal/${key}`)).data).toEqual({ key, value: `value of ${key}` })
        })
      } finally {
        await next.stop()
      }
    },
    limitMs,
  )
})

describe('starting without the right master key', () => {
  let server: ServerProcess
  let right: string
  const value = 'a value that must survive'
  beforeAll(async () => {
    server = await startServer({ env })
    const client = await openClient(server)
    await client.call('POST /secrets', { key: 'SURVIVOR', value })
    await server.stop()
    right = await readFile(keyFile(server), 'utf8')
  }, limitMs)
  afterAll(() => server?.remove())

  const other = () => randomBytes(32).toString('base64')

  it.each([
    ['missing', () => rm(keyFile(server)), {}, /The master key is missing.*master\.key or set MASTER_KEY/],
    ['changed', () => writeFile(keyFile(server), `${other()}\n`), {}, /does not open this database.*Restore/],
    ['damaged', () => writeFile(keyFile(server), right.slice(0, 20)), {}, /is damaged.*Restore it from a backup/],
    ['overruled by a setting', async () => {}, { MASTER_KEY: other() }, /Set MASTER_KEY to the key/],
  ])(
    '%s: the start stops with what to do, and nothing is overwritten',
    async (_what, spoil, settings, message) => {
      await spoil()
      const left = await readFile(keyFile(server), 'utf8').catch(() => null)
      await expect(startServer({ dataDir: server.dataDir, env: { ...env, ...settings } })).rejects.toThrow(message)
      expect(await readFile(keyFile(server), 'utf8').catch(() => null)).toBe(left)
      await writeFile(keyFile(server), right, { mode: 0o600 })
    },
    limitMs,
  )

  it(
    'with the right key back, everything is there',
    async () => {
      const again = await startServer({ dataDir: server.dataDir, env })
      try {
        const client = await openClient(again)
        expect((await client.call('GET /secrets/reveal/SURVIVOR')).data).toEqual({ key: 'SURVIVOR', value })
      } finally {
        await again.stop()
      }
    },
    limitMs,
  )
})
