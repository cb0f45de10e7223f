// Guarantees: an acknowledged upload is stored to the last byte despite crashes; an unacknowledged one leaves nothing
// after the sweep; and a large file uses little memory in the server. `npm run prove -- uploads --size large` uses the
// full size: 100 files, 5 kills, 1 GiB.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'
import { download, hashOf, madeUpBytes, peakResidentBytes, residentBytes, upload } from './support/uploads.ts'

const mebibyte = 1024 * 1024
const env = { RATE_LIMIT_UPLOAD: '0', ENGINE: 'false' }

type FileRecord = { id: string; uri: string; upload_url: string }
type Client = { token: string; teamId: string }

const signedIn = async (server: ServerProcess): Promise<Client> => {
  const { session_token, team_id } = await signIn(server.dataDir, 'keeper@example.com', 'keepers')
  return { token: session_token, teamId: team_id }
}

const api = async (server: ServerProcess, client: Client, route: string, body?: unknown) => {
  const [method, path] = route.split(' ')
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${client.token}`,
      'x-team-id': client.teamId,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, data: ((await answer.json()) as { data: unknown }).data }
}

const announce = async (server: ServerProcess, client: Client, count: number, sizeBytes: number) =>
  (
    await api(server, client, 'POST /files', {
      files: Array.from({ length: count }, (_, index) => ({ uri: '', filename: `${index}.bin`, size: sizeBytes })),
    })
  ).data as FileRecord[]

/**
 * The number of complete files of this size and of unfinished uploads in the store. Other files, such as bundles of the
 * included apps, have other sizes.
 */
const filesOnDisk = async (dataDir: string, sizeBytes: number) => {
  const objects = join(dataDir, 'blobs', 'objects')
  const names = (await readdir(objects, { recursive: true })).map((name) => join(objects, name))
  const found = await Promise.all(names.map((name) => stat(name).catch(() => null)))
  const whole = found.filter((file) => file?.isFile() && file.size === sizeBytes).length
  return { whole, unfinished: (await readdir(join(dataDir, 'blobs', 'tmp'))).length }
}

/** Background sweeps settle; the last reading counts. */
const settled = async <T>(look: () => Promise<T>, isSettled: (seen: T) => boolean): Promise<T> => {
  for (let attempt = 0; attempt < 1_200; attempt += 1) {
    const seen = await look()
    if (isSettled(seen)) return seen
    await sleep(100)
  }
  return look()
}

describe('uploads through cuts and crashes', () => {
  const fileCount = Number(process.env.UPLOAD_FILES ?? 20)
  const sizeBytes = 10 * mebibyte
  const kills = Number(process.env.UPLOAD_KILLS ?? 1)
  /** Acknowledged uploads before each kill. */
  const acksPerLife = 8
  let server: ServerProcess

  beforeAll(async () => {
    server = await startServer({ env })
  })
  afterAll(() => server?.remove())

  it('every acknowledged file has its exact bytes, and nothing else is left', { timeout: 300_000 }, async () => {
    const client = await signedIn(server)
    const files = await announce(server, client, fileCount, sizeBytes)
    const port = new URL(server.url).port
    const hashes = files.map((file) => hashOf(madeUpBytes(file.id, sizeBytes)))
    const acknowledged = new Set<FileRecord>()
    let acksInThisLife = 0
    let killsLeft = kills
    let restarting: Promise<void> | null = null

    const restart = async () => {
      await server.kill()
      server = await startServer({ env, dataDir: server.dataDir, args: ['--port', port] })
      acksInThisLife = 0
      restarting = null
    }
    const send = async (file: FileRecord, index: number): Promise<void> => {
      // Three of ten are interrupted; two of those are never retried.
      const isCut = index % 10 < 3
      if (isCut) {
        const status = await upload(file.upload_url, { seed: file.id, sizeBytes, cutAfterBytes: sizeBytes / 2 })
        expect(status).toBeNull()
        if (index % 2 === 0) return
      }
      while (!acknowledged.has(file)) {
        if (restarting) await restarting
        const status = await upload(file.upload_url, { seed: file.id, sizeBytes })
        if (status === 200) {
          acknowledged.add(file)
          acksInThisLife += 1
          if (killsLeft > 0 && acksInThisLife >= acksPerLife && !restarting) {
            killsLeft -= 1
            restarting = restart()
          }
        } else {
          // Only a dead server does not answer.
          expect(status).toBeNull()
          await sleep(50)
        }
      }
    }
    await Promise.all(files.map(send))
    expect(killsLeft).toBe(0)
    const abandoned = files.filter((file) => !acknowledged.has(file))
    expect(abandoned).toHaveLength(fileCount / 5)

    for (const [index, file] of files.entries()) {
      const found = await download(file.uri)
      if (!acknowledged.has(file)) expect(found.status).toBe(404)
      else expect(found).toMatchObject({ status: 200, sizeBytes, sha256: hashes[index] })
    }

    // An interrupted later upload does not affect an acknowledged one; a deleted file releases its bytes.
    const [kept, ...deleted] = [...acknowledged].slice(0, 6)
    if (!kept) throw new Error('nothing was acknowledged')
    await upload(kept.upload_url, { seed: 'other bytes', sizeBytes, cutAfterBytes: sizeBytes / 2 })
    expect((await download(kept.uri)).sha256).toBe(hashes[files.indexOf(kept)])
    for (const file of deleted) expect((await api(server, client, `DELETE /files/${file.id}`)).status).toBe(200)

    await restart()
    const wanted = { whole: acknowledged.size - deleted.length, unfinished: 0 }
    const seen = await settled(
      () => filesOnDisk(server.dataDir, sizeBytes),
      ({ whole, unfinished }) => whole === wanted.whole && unfinished === 0,
    )
    expect(seen).toEqual(wanted)
    expect((await download(kept.uri)).sha256).toBe(hashes[files.indexOf(kept)])
  })
})

const largeMebibytes = Number(process.env.UPLOAD_LARGE_MIB ?? 64)

describe(`a file of ${largeMebibytes} MiB`, () => {
  const sizeBytes = largeMebibytes * mebibyte
  const allowedGrowthBytes = 64 * mebibyte
  let server: ServerProcess
  let client: Client
  let file: FileRecord

  beforeAll(async () => {
    // Background embedding uses more memory than files.
    server = await startServer({ env: { ...env, SEARCH: 'false' } })
    client = await signedIn(server)
    // The first upload and download of a process load code that later ones do not.
    const [warm] = await announce(server, client, 1, mebibyte)
    const [large] = await announce(server, client, 1, sizeBytes)
    if (!warm || !large) throw new Error('the records were not made')
    file = large
    await upload(warm.upload_url, { seed: 'warm', sizeBytes: mebibyte })
    await download(warm.uri)
  })
  afterAll(() => server?.remove())

  it('is uploaded without growing the server by more than 64 MiB', async () => {
    const before = await residentBytes(server.pid)
    const peak = await peakResidentBytes(server.pid, async () => {
      expect(await upload(file.upload_url, { seed: 'large', sizeBytes })).toBe(200)
    })
    expect(peak - before).toBeLessThanOrEqual(allowedGrowthBytes)
  })

  it('is downloaded without growing it by more than 128 MiB', async () => {
    const before = await residentBytes(server.pid)
    const peak = await peakResidentBytes(server.pid, async () => {
      const found = await download(file.uri)
      expect(found).toMatchObject({ status: 200, sizeBytes, sha256: hashOf(madeUpBytes('large', sizeBytes)) })
    })
    expect(peak - before).toBeLessThanOrEqual(2 * allowedGrowthBytes)
    const part = await download(file.uri, { range: `bytes=${sizeBytes - 10}-` })
    expect(part).toMatchObject({ status: 206, sizeBytes: 10 })
  })
})
