// Guarantees: a full disk is answered with 507 or 503 and never with success; everything acknowledged exists, and the
// server recovers once there is space. Needs its own disk, which only root may mount; otherwise skipped.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type SignedIn, signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'
import { download, hashOf, madeUpBytes, upload } from './support/uploads.ts'

vi.setConfig({ hookTimeout: 300_000, testTimeout: 300_000 })

const diskMb = 400
const fileBytes = 2_000_000

/** Null if this user may not mount. */
const mountDisk = (): string | null => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMb}m,mode=755`, 'tmpfs', folder], { stdio: 'ignore' })
    return folder
  } catch {
    rmdirSync(folder)
    return null
  }
}

const disk = mountDisk()
let server: ServerProcess
let owner: SignedIn

beforeAll(async () => {
  if (disk === null) return
  server = await startServer({ dataDir: join(disk, 'data'), env: { ENGINE: 'false', CONSOLE: 'false' } })
  owner = await signIn(server.dataDir, 'disk@example.com', 'disk')
})
afterAll(async () => {
  await server?.remove()
  if (disk === null) return
  execFileSync('umount', [disk])
  rmdirSync(disk)
})

const headers = () => ({
  authorization: `Bearer ${owner.session_token}`,
  'x-team-id': owner.team_id,
  'content-type': 'application/json',
})

const call = async <T>(route: string, body?: object): Promise<{ status: number; data: T }> => {
  const [method, path] = route.split(' ')
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: headers(),
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: answer.status, data: ((await answer.json()) as { data: T }).data }
}

/** Fills the disk to the last block. */
const fill = async (path: string): Promise<void> => {
  const file = await open(path, 'a')
  const fits = (size: number): Promise<boolean> =>
    file.write(Buffer.alloc(size, 1)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOSPC') return false
        throw error
      },
    )
  for (const size of [1_000_000, 4_096]) while (await fits(size));
  await file.close()
}

type Made = { id: string; uri: string; upload_url: string }

const putFile = async (seed: string): Promise<{ status: number | null; uri: string }> => {
  const file = { uri: '', filename: `${seed}.bin`, size: fileBytes }
  const { status, data } = await call<Made[]>('POST /files', { files: [file] })
  const [made] = data ?? []
  if (status !== 200 || !made) return { status, uri: '' }
  return { status: await upload(made.upload_url, { seed, sizeBytes: fileBytes }), uri: made.uri }
}

it.skipIf(disk === null)(
  'a full disk refuses cleanly, loses nothing, and is forgotten once there is room',
  async () => {
    const ballast = join(disk ?? '', 'ballast')
    const kept = new Map<string, string>()
    const secrets: string[] = []
    const statuses = new Set<number | null>()
    const write = async (name: string): Promise<void> => {
      const file = await putFile(name)
      statuses.add(file.status)
      if (file.status === 200) kept.set(name, file.uri)
      // Larger than the free space on the database's pages.
      const value = 'x'.repeat(60_000)
      const { status } = await call('POST /secrets', { key: name.toUpperCase(), value })
      statuses.add(status)
      if (status < 300) secrets.push(name.toUpperCase())
    }
    for (let n = 0; n < 3; n += 1) await write(`before_${n}`)
    await fill(ballast)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503)
    for (let n = 0; n < 12; n += 1) await write(`during_${n}`)
    await rm(ballast)
    expect((await statfs(disk ?? '')).bavail).toBeGreaterThan(0)
    while (!(await fetch(`${server.url}/readyz`).catch(() => null))?.ok) await sleep(100)
    const acknowledged = { files: kept.size, secrets: secrets.length }
    await write('after')
    console.log(`full disk: ${JSON.stringify(acknowledged)} acknowledged, answers ${[...statuses]}`)
    expect([...statuses].filter((status) => ![200, 201, 503, 507].includes(status ?? 0))).toEqual([])
    expect(statuses.has(507)).toBe(true)
    expect(kept.has('after')).toBe(true)
    for (const [name, uri] of kept) {
      const got = await download(uri, headers())
      expect([name, got.status, got.sha256]).toEqual([name, 200, hashOf(madeUpBytes(name, fileBytes))])
    }
    const { data } = await call<{ items: { key: string }[] }>('POST /secrets/list', { limit: -1 })
    expect(data.items.map(({ key }) => key)).toEqual(expect.arrayContaining(secrets))
  },
)
