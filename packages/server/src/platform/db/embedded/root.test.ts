// Guarantees: started by root, in folders that only root can enter, the server runs as another user and keeps its data
// when the way it runs changes. Needs root; privileges.test.ts tests the decision itself.
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { locateBinaries } from './binaries.ts'
import { startPostgres } from './postgres.ts'
import { chooseRunAs, type Host, thisHost } from './privileges.ts'
import { emptyFolder, query, tidyUp } from './testing/setup.ts'

afterAll(tidyUp)

const { nativeDir } = await locateBinaries()

describe.runIf(process.geteuid?.() === 0)('as root', () => {
  let dataDir = ''
  let pgDir = ''
  let shared = ''
  beforeAll(() => {
    const barred = emptyFolder()
    chmodSync(barred, 0o700)
    dataDir = join(barred, 'data')
    pgDir = join(dataDir, 'postgres')
    mkdirSync(dataDir)
    shared = emptyFolder()
    chmodSync(shared, 0o755)
  })

  const host = thisHost('/nowhere')
  let starts = 0
  const startsWith = async (facts: Partial<Host>, expected: object) => {
    const runAs = await chooseRunAs(pgDir, { ...host, ...facts })
    expect(runAs).toMatchObject(expected)
    const server = await startPostgres({ dataDir, runAs })
    await query(server.connectionString, 'create table if not exists starts (at timestamptz default now())')
    await query(server.connectionString, 'insert into starts default values')
    starts += 1
    expect(await query(server.connectionString, 'select count(*)::int from starts')).toEqual([starts])
    expect(statSync(pgDir).uid).toBe(runAs.kind === 'user' ? runAs.user.uid : 0)
    await server.stop()
  }

  test('as an unprivileged user, from inside the folder', () => startsWith({}, { kind: 'user', fromInside: true }))

  const hasNamespaces = host.user !== null && host.canUseNamespace(nativeDir, host.user)
  test.runIf(hasNamespaces)('in a user namespace, where the kernel offers them', () =>
    startsWith({ canRun: () => false }, { kind: 'namespace' }),
  )

  test('from a copy of the binaries', () =>
    startsWith(
      {
        canRun: (dir, user) => dir.startsWith(shared) && host.canRun(dir, user),
        canUseNamespace: () => false,
        sharedFolders: [shared],
      },
      { kind: 'user', fromInside: true },
    ))
})
