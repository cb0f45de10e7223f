// Guarantees: the installation's keys can be rotated under load without a rejected request, and afterwards every sealed
// value uses the new ones; without the right master key the server does not start, explains what to do, and changes
// nothing. `npm run prove -- rotation --size large` rotates repeatedly for a minute; the ordinary test run once.
import { randomBytes } from 'node:crypto'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient, inParallel } from './support/client.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'
import { type OauthServer, signInAt, startOauthServer } from './support/oauth-server.ts'
import { millrace, type SignedIn, signIn } from './support/operator.ts'
import { countSealed, masterKeysInUse, type SealedCount } from './support/sealed-rows.ts'
import { type ServerProcess, startServer } from './support/server.ts'
import { startLoad } from './support/steady-load.ts'

const limitMs = 600_000
const leastLoadSeconds = Number(process.env.ROTATION_SECONDS ?? 4)
const rounds = Number(process.env.ROTATION_ROUNDS ?? 1)
/** Seals of segments that close after days; their rotation is tested in `audit-segments.test.ts`. */
const closedSegmentColumns = ['audit_segments.seal_sealed', 'ledger_closings.seal_sealed']
const requestsPerSecond = 200
/** Limits the load on a slow machine, so that requests are not rejected for lack of database connections. */
const maxConcurrent = 200
const env = { ENGINE: 'false' }
const slug = 'mill-crm'

const keyFile = (server: ServerProcess) => join(server.dataDir, 'master.key')

const openClient = async (server: ServerProcess): Promise<Client> => {
  const { session_token, team_id } = await signIn(server.dataDir, 'keeper@example.com', 'keepers')
  return createClient(server.url, { token: session_token, teamId: team_id })
}

describe('rotation under load', () => {
  let database: TestDatabase
  let oauth: OauthServer
  let server: ServerProcess
  let credential: { token: string; teamId: string }
  let client: Client
  const admin = async <T>(...words: string[]): Promise<T> =>
    JSON.parse(await millrace(server.dataDir, 'admin', ...words, '--database-url', database.url, '--json')) as T

  beforeAll(async () => {
    ;[database, oauth] = await Promise.all([createDatabase(), startOauthServer(slug, 3_600)])
    server = await startServer({ env: { ...env, DATABASE_URL: database.url } })
    const signedIn = await admin<SignedIn>('sign-in', '--email', 'keeper@example.com', '--team', 'keepers')
    credential = { token: signedIn.session_token, teamId: signedIn.team_id }
    client = createClient(server.url, credential)
  }, limitMs)
  afterAll(async () => {
    await server?.remove()
    await Promise.all([oauth?.close(), database?.drop()])
  })

  /** A cloud with a token, and a machine with its engine key. */
  const sealForMachines = async () => {
    const availability = [{ region: 'desk', rental_type: 'on_demand', available: true, hourly_price: 1 }]
    const type = { catalog_instance_type: 'small', cloud_instance_type: 'small', deployment_type: 'vm' }
    const types = [{ ...type, configuration: { vcpus: 1, memory_in_gb: 1 }, availability }]
    return [
      await client.call('PUT /clouds/away', {
        kind: 'http',
        name: 'Away',
        url: 'https://x.example',
        token: 'hush-hush',
      }),
      await client.call('PUT /clouds/here', { kind: 'local', name: 'Here' }),
      await client.call('PUT /clouds/here/types', { types }),
      await client.call('POST /billing/grants', { team_id: credential.teamId, amount: 1_000_000_000 }),
      await client.call('POST /engines', {
        name: 'rented',
        end_time: new Date(Date.now() + 3_600_000).toISOString(),
        instance_type: { cloud: 'here', region: 'desk', catalog_instance_type: 'small' },
      }),
    ]
  }

  /** Creates at least one value in every sealed column. */
  const sealEverywhere = async (): Promise<void> => {
    const answers = [
      await client.call('POST /auth-providers', {
        slug,
        display_name: 'Mill CRM',
        ...oauth.client,
        specs: [
          {
            kind: 'oauth2',
            authorization_endpoint: `${oauth.address}/auth`,
            token_endpoint: `${oauth.address}/token`,
            scopes: ['openid'],
          },
        ],
      }),
      await client.call('POST /auth/magic-link/send', { email: 'waiting@example.com' }),
      await client.call('POST /auth/totp/enroll'),
      await client.call('POST /agents', {
        name: 'keeper',
        version: {
          tools: [
            {
              name: 'get',
              type: 'http',
              http: { url: 'https://x.example', auth: { type: 'bearer', secret: 'sk-raw-key-123456' } },
            },
          ],
        },
      }),
    ]
    const remote = await client.call('POST /remotes', { name: 'away', exec_enabled: true })
    // As if its socket were on another server: the command waits with its environment.
    await database.query('update remotes set connected = true, server_id = (select id from servers limit 1)')
    const { id } = remote.data as { id: string }
    answers.push(remote, await client.call(`POST /remotes/${id}/execs`, { command: 'ls', env: ['TOKEN=hush'] }))
    answers.push(...(await sealForMachines()))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const connect = async (connection_scope: string) =>
      (await client.call('POST /credentials', { provider: slug, type: 'oauth', connection_scope })).data as {
        auth_url: string
      }
    const returned = await signInAt((await connect('team')).auth_url)
    const done = await client.call('POST /credentials/oauth/complete', { provider: slug, type: 'oauth', ...returned })
    expect(done.status).toBe(200)
    await connect('user')
  }

  /** Values under an old key; a request during the rotation may leave some for the later sweep. */
  const allUnderNewKeys = async (): Promise<SealedCount[]> => {
    let counts = await countSealed(database)
    for (let waitedMs = 0; waitedMs < 90_000 && counts.some((one) => one.underOldKeys > 0); waitedMs += 1_000) {
      await sleep(1_000)
      counts = await countSealed(database)
    }
    return counts
  }

  it(
    'no request fails, every value stays what it is, and every row is under the new keys',
    async () => {
      await sealEverywhere()
      const values = new Map(Array.from({ length: 20 }, (_, index) => [`LOADED_${index}`, `value ${index} `.repeat(4)]))
      for (const [key, value] of values) await client.call('POST /secrets', { key, value })
      const before = await readFile(keyFile(server), 'utf8')

      const right = (route: string, status: number, isRight = true): void => {
        if (status !== 200 || !isRight) throw new Error(`${route}: ${status}`)
      }
      const made: string[] = []
      const load = startLoad({
        perSecond: requestsPerSecond,
        maxConcurrent,
        send: async (number) => {
          const key = `LOADED_${number % values.size}`
          const fresh = made[number % (made.length || 1)]
          if (number % 4 === 0) {
            const name = `FRESH_${number}`
            const body = { key: name, value: `value of ${name}` }
            right('POST', (await client.call('POST /secrets', body, { 'idempotency-key': name })).status)
            made.push(name)
          } else if (number % 4 === 1 && fresh !== undefined) {
            right('PUT', (await client.call(`PUT /secrets/${fresh}`, { value: `value of ${fresh}` })).status)
          } else {
            const { status, data } = await client.call(`GET /secrets/reveal/${key}`)
            right(`reveal ${key}`, status, (data as { value?: string } | undefined)?.value === values.get(key))
          }
        },
      })
      const leastUntil = Date.now() + leastLoadSeconds * 1_000
      await sleep(500)
      let masterKeyId = ''
      for (let round = 0; round < rounds; round += 1) {
        const master = await admin<{ master_key_id: string; resealed: number }>('rotate-master-key')
        masterKeyId = master.master_key_id
        expect(master.resealed).toBeGreaterThanOrEqual(2)
        const keepers = await admin<{ resealed: number }>('rotate-data-key', '--team', 'keepers')
        expect(keepers.resealed).toBeGreaterThanOrEqual(values.size)
        await admin('rotate-data-key', '--team', 'millrace')
      }
      while (Date.now() < leastUntil) await sleep(100)
      const { failures, ...report } = await load.stop()
      console.log(
        `${rounds} × three rotations under ${report.sentPerSecond.toFixed(0)} requests/s for ${report.seconds.toFixed(0)} s:`,
        `${report.sent} sent, ${report.answered} answered, ${failures.length} failed,`,
        `${report.heldBack} held back, at most ${report.maxConcurrent} under way`,
      )
      expect(failures).toEqual([])
      expect(report.answered).toBe(report.sent)

      const counts = await allUnderNewKeys()
      const sealed = counts.reduce((sum, { values }) => sum + values, 0)
      console.log(`${sealed} sealed values in ${counts.length} columns, all under the new keys`)
      expect(counts.filter(({ underOldKeys }) => underOldKeys > 0)).toEqual([])
      expect(counts.filter((one) => one.values === 0).map((one) => one.place)).toEqual(closedSegmentColumns)
      expect(sealed).toBeGreaterThan(values.size + made.length)
      expect(await masterKeysInUse(database)).toEqual([masterKeyId])

      const after = await readFile(keyFile(server), 'utf8')
      expect(after.trim().split('\n')).toHaveLength(1)
      expect(after).not.toBe(before)
      expect((await stat(keyFile(server))).mode & 0o777).toBe(0o600)

      // Nothing needs the old keys: a new process reads everything.
      const checks = await admin<{ checks: { name: string }[] }>('doctor')
      expect(checks.checks.find(({ name }) => name === 'encryption key')).toMatchObject({ ok: true })
      await server.stop()
      const next = await startServer({ dataDir: server.dataDir, env: { ...env, DATABASE_URL: database.url } })
      try {
        const reader = createClient(next.url, credential)
        for (const [key, value] of values)
          expect((await reader.call(`GET /secrets/reveal/${key}`)).data).toEqual({ key, value })
        await inParallel(made, 8, async (key) => {
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
    ['changed', () => writeFile(keyFile(server), `${other()}\n`), {}, /does not match this database.*Restore/],
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
