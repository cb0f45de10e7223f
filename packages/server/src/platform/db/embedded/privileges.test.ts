// Guarantees: PostgreSQL never runs as root, but runs wherever a way exists; otherwise the message says what to do.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { chooseRunAs, type Host, launchAs, launchEnv, mayTraverse, pickUser } from './privileges.ts'
import { emptyFolder, tidyUp } from './testing/setup.ts'

afterAll(tidyUp)

const user = { name: 'postgres', uid: 101, gid: 104 }
const passwd = 'root:x:0:0::/root:/bin/sh\nnobody:*:-2:-2::/:/bin/false\n'
const withPostgres = `${passwd}postgres:x:101:104::/var:/bin/sh\nana:x:1000:1000::/home/ana:/bin/sh\n`

test.each([
  ['the postgres user is preferred', withPostgres, null, 101],
  ['the user nobody is used, and its negative id is converted', passwd, null, 4294967294],
  ['an existing database stays with its owner', withPostgres, 1000, 1000],
  ['an owner without an entry is skipped', withPostgres, 4242, 101],
  ['root is never used, even as owner', withPostgres, 0, 101],
  ['no other user', 'root:x:0:0::/root:/bin/sh', null, undefined],
])('%s', (_, text, ownerUid, uid) => {
  expect(pickUser(text, ownerUid)?.uid).toBe(uid)
})

test.each([
  ['others may enter', { mode: 0o40711, uid: 0, gid: 0 }, true],
  ['root alone may enter', { mode: 0o40700, uid: 0, gid: 0 }, false],
  ['by its group', { mode: 0o40710, uid: 0, gid: 104 }, true],
  ['its group may not enter although others may', { mode: 0o40701, uid: 0, gid: 104 }, false],
  ['its own folder', { mode: 0o40700, uid: 101, gid: 0 }, true],
])('%s', (_, folder, expected) => {
  expect(mayTraverse(folder, user)).toBe(expected)
})

describe('the user and the folder of the server', () => {
  const dataDir = emptyFolder()
  const shared = emptyFolder()
  const packageDir = emptyFolder()
  mkdirSync(join(packageDir, 'bin'))
  writeFileSync(join(packageDir, 'bin', 'postgres'), '')
  const binaries = { nativeDir: packageDir, packageVersion: '1' }
  const host: Host = {
    isRoot: true,
    platform: 'linux',
    user,
    canReach: async () => true,
    canRun: () => true,
    canUseNamespace: () => true,
    sharedFolders: [shared],
  }
  const only = (root: string) => (nativeDir: string) => nativeDir.startsWith(root)
  const reaches =
    (...roots: string[]) =>
    async (folder: string) =>
      roots.includes(folder)
  const copyIn = (root: string) => join(root, 'millrace-postgres-1')

  test.each<[string, Partial<Host>, object]>([
    ['not root: as the current user', { isRoot: false }, { kind: 'self', nativeDir: packageDir }],
    ['root: as the chosen user', {}, { kind: 'user', nativeDir: packageDir, user, fromInside: false }],
    [
      'data folder barred: from inside it',
      { canReach: reaches() },
      { kind: 'user', nativeDir: packageDir, user, fromInside: true },
    ],
    [
      'binaries barred: copied beside the data',
      { canRun: only(dataDir) },
      { kind: 'user', nativeDir: copyIn(dataDir), user, fromInside: false },
    ],
    [
      'both barred: in a namespace',
      { canReach: reaches(shared), canRun: only(shared) },
      { kind: 'namespace', nativeDir: packageDir, user },
    ],
    [
      'both barred and no namespaces: copied to a shared folder',
      { canReach: reaches(shared), canRun: only(shared), canUseNamespace: () => false },
      { kind: 'user', nativeDir: copyIn(shared), user, fromInside: true },
    ],
  ])('%s', async (_, facts, expected) => {
    expect(await chooseRunAs(join(dataDir, 'postgres'), { ...host, ...facts }, binaries)).toEqual(expected)
  })

  test.each<[string, Partial<Host>]>([
    ['nothing can run it', { canRun: () => false, canUseNamespace: () => false }],
    [
      'a barred data folder on a system without /proc',
      { platform: 'darwin', canReach: reaches(), canUseNamespace: () => false },
    ],
    ['no user to become', { user: null }],
  ])('%s: the message says what to do', async (_, facts) => {
    const attempt = chooseRunAs(join(dataDir, 'postgres'), { ...host, ...facts }, binaries)
    await expect(attempt).rejects.toThrow(
      /refuses to run as root.*Start Millrace as an ordinary user.*DATA_DIR.*DATABASE_URL/s,
    )
  })

  test('the server process gets only the search path of our environment', () => {
    expect(Object.keys(launchEnv()).sort()).toEqual(['LC_ALL', 'PATH', 'TZ'])
    expect(launchAs({ kind: 'user', nativeDir: '/n', user, fromInside: false }, 'initdb', ['-x'])).toEqual({
      file: '/n/bin/initdb',
      args: ['-x'],
      uid: 101,
      gid: 104,
    })
  })
})
