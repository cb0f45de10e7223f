// Guarantees: three real servers over one database, behind a balancer, with four engines, are one platform. Under a
// mixed load servers are killed and frozen past their lease, bus events between them are cut off, the database becomes
// read-only, and finally all are replaced one by one by a newer version that migrates, without a rejected request.
// Nothing acknowledged is lost, stuck or done twice, and readers on other servers receive everything without gaps or
// duplicates. FLEET_KILLS, FLEET_PACE (a factor for the pauses of the load) and FLEET_READ_ONLY_MS set the size (`npm
// run prove -- fleet --size large`).
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createDatabase } from './support/database.ts'
import {
  cutBus,
  type Fleet,
  type FleetMember,
  failOver,
  freeze,
  kill,
  loggedRefusals,
  replace,
  startFleet,
  untilUp,
} from './support/fleet.ts'
import { startLongTalk } from './support/long-talk.ts'
import { type Kind, type MixedLoad, startMixedLoad } from './support/mixed-load.ts'
import { judge, settle } from './support/mixed-verdict.ts'
import { createNewerVersion } from './support/newer-version.ts'
import { startServer } from './support/server.ts'
import { download, hashOf, madeUpBytes, upload } from './support/uploads.ts'

const kills = Number(process.env.FLEET_KILLS ?? 1)
const paceFactor = Number(process.env.FLEET_PACE ?? 2.5)
const readOnlyMs = Number(process.env.FLEET_READ_ONLY_MS ?? 2_000)

vi.setConfig({ hookTimeout: 300_000, testTimeout: 600_000 + kills * 60_000 })

/** Longer than a server's lease. */
const frozenMs = 9_500
const partedMs = 3_000
/** After this time without progress, nothing more will end. */
const progressTimeoutMs = 60_000

const pauses: Record<Kind, number> = { run: 150, flow: 400, hook: 300, chat: 800, stream: 400, read: 40 }
const pace = Object.fromEntries(
  Object.entries(pauses).map(([kind, pauseMs]) => [kind, pauseMs * paceFactor]),
) as typeof pauses

let fleet: Fleet
let load: MixedLoad

beforeAll(async () => {
  fleet = await startFleet({ size: 3, database: await createDatabase() })
})
afterAll(async () => {
  await load?.stop()
  await fleet?.remove()
})

const memberAt = (index: number): FleetMember => {
  const member = fleet.members[index]
  if (!member) throw new Error(`There is no server ${index}`)
  return member
}

type Answer = { status: number; data: { id: string; key: string } }

const call = async (member: FleetMember, route: string, body?: object, headers = {}): Promise<Answer> => {
  const [method = 'GET', path = '/'] = route.split(' ')
  const answer = await fetch(`${member.url}${path}`, {
    method,
    headers: { ...fleet.headers, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { data } = (await answer.json()) as { data: Answer['data'] }
  return { status: answer.status, data }
}

const statusFor = async ({ url }: FleetMember, key: string): Promise<number> =>
  (await fetch(`${url}/me`, { headers: { authorization: `Bearer ${key}` } })).status

it('each server is registered, with all engines', async () => {
  expect((await fleet.database.query('select 1 from servers')).rowCount).toBe(3)
  for (const member of fleet.members) await untilUp(member)
  while ((await fleet.database.query('select 1 from engines where connected')).rowCount !== 4) await sleep(100)
})

it('a key revoked on one server is invalid on the others', async () => {
  const { data } = await call(memberAt(0), 'POST /apikeys', { name: 'soon gone' })
  for (const member of fleet.members) expect(await statusFor(member, data.key)).toBe(200)
  expect((await call(memberAt(0), `DELETE /apikeys/${data.id}`)).status).toBe(200)
  for (const member of fleet.members) await expect.poll(() => statusFor(member, data.key)).toBe(401)
})

it('an upload and a repeated request continue on another server', async () => {
  const asked = { app: 'millrace/echo', input: { text: 'once' } }
  const first = await call(memberAt(0), 'POST /run', asked, { 'idempotency-key': 'asked-of-both' })
  const again = await call(memberAt(1), 'POST /run', asked, { 'idempotency-key': 'asked-of-both' })
  expect([first.status, again.status, again.data.id]).toEqual([200, 200, first.data.id])

  const sizeBytes = 300_000
  const file = { uri: '', filename: 'begun.bin', size: sizeBytes }
  const { data } = await call(memberAt(0), 'POST /files', { files: [file] })
  const [made] = data as unknown as { id: string; uri: string; upload_url: string }[]
  // The link names the balancer; any server may be behind it.
  const at = (url: string | undefined, member: FleetMember) => url?.replace(fleet.balancer.url, member.url) ?? ''
  expect(await upload(at(made?.upload_url, memberAt(1)), { seed: 'fleet', sizeBytes })).toBe(200)
  const got = await download(at(made?.uri, memberAt(2)), fleet.headers)
  expect([got.status, got.sha256]).toEqual([200, hashOf(madeUpBytes('fleet', sizeBytes))])
})

/** Waits until there are new acknowledgements. */
const untilServing = async (): Promise<void> => {
  for (const before = load.count(); load.count() < before + 6; ) await sleep(50)
}

const shuffled = (): FleetMember[] =>
  fleet.members
    .map((member) => ({ member, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ member }) => member)

const refuseMisfit = async (): Promise<void> => {
  const alone = Object.fromEntries(Object.entries(fleet.env).filter(([name]) => !name.startsWith('S3_')))
  const refused = startServer({ env: alone })
  await expect(refused).rejects.toThrow(/stores files in its own folder.*Set S3_ENDPOINT/s)
}

it(`under load, ${kills} times: a kill, a freeze, lost bus events, a read-only database`, async () => {
  load = await startMixedLoad(fleet, pace)
  await untilServing()
  const struck: Record<string, number> = { kills: 0, freezes: 0, partitions: 0, failovers: 0 }
  const count = (what: string): void => {
    struck[what] = (struck[what] ?? 0) + 1
  }
  for (let round = 0; round < kills; round += 1) {
    const [one, two, three] = shuffled()
    if (!one || !two || !three) throw new Error('Three servers are needed')
    // In every fourth round the network fails; in the others servers are killed, one every few seconds.
    const isBad = round % 4 === 0
    await Promise.all([
      kill(fleet, one, 500).then(() => count('kills')),
      isBad ? freeze(two, frozenMs).then(() => count('freezes')) : sleep(2_000),
      cutBus(fleet, three, partedMs).then(() => count('partitions')),
      // Meanwhile a server with files on its own disk is rejected.
      ...(round === 0 ? [refuseMisfit()] : []),
    ])
    if (isBad) await failOver(fleet, readOnlyMs).then(() => count('failovers'))
    await untilServing()
  }
  console.log(`fleet (${fleet.bus}): ${JSON.stringify(struck)}, ${load.count()} acknowledged so far`)
  // Frozen and killed servers have joined again.
  while ((await fleet.database.query('select 1 from servers')).rowCount !== 3) await sleep(100)
})

it('a newer version takes over server by server, migrates meanwhile, and rejects no request', async () => {
  const newer = await createNewerVersion()
  try {
    for (const member of fleet.members) await untilUp(member)
    await untilServing()
    const talk = await startLongTalk(fleet)
    load.countRefusals(true)
    const before = load.count()
    for (const member of fleet.members) {
      await replace(fleet, member, newer.program)
      await untilServing()
    }
    load.countRefusals(false)
    const lines = await talk.end()
    await talk.remove()
    const { rows } = await fleet.database.query('select name from schema_migrations order by name desc limit 1')
    expect(rows).toEqual([{ name: newer.migration }])
    console.log(
      `fleet upgrade: ${load.count() - before} acknowledged meanwhile, ${load.refused.length} refused, ${lines.length} lines of a remote`,
      [...new Set(load.refused)].slice(0, 12),
    )
    if (load.refused.length > 0) console.log(loggedRefusals(fleet).slice(-12).join('\n'))
    expect(load.refused).toEqual([])
    // The remote's socket moved with every stopped server, and no line was lost or repeated.
    expect(lines).toEqual(lines.map((_, index) => String(index)))
  } finally {
    await newer.remove()
  }
})

it('afterwards nothing is lost, stuck, failed or done twice, and every transcript is complete', async () => {
  await load.stop()
  await settle(fleet, progressTimeoutMs)
  const verdict = await judge(fleet, load.acknowledged)
  const asked = Object.entries(load.acknowledged).map(([kind, all]) => `${all.size} ${kind}`)
  console.log(`fleet: ${asked.join(', ')}; ${Object.entries(verdict).map(([name, all]) => `${all.length} ${name}`)}`)
  expect(verdict).toEqual({ lost: [], stuck: [], failed: [], twice: [], transcripts: [] })
})
