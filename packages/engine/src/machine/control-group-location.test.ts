// Guarantees: cgroups are created below the engine's own group, for every layout of hosts and containers, and an engine
// that is not root can create some in a group that root has delegated to it.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { silentLog } from '../log.ts'
import { findLocation, findOwnLocation, handOverGroups, readHierarchies } from './control-group-location.ts'
import { findControlGroups } from './control-groups.ts'

const unifiedMount = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate'
const ownFolders = (memberships: string, mounts: string) =>
  readHierarchies(memberships, mounts).map(({ own, unified }) => `${unified ? 'v2' : 'v1'} ${own}`)

const cases = [
  {
    claim: 'a service of a host with cgroup v2',
    memberships: '0::/system.slice/millrace.service/millrace\n',
    mounts: unifiedMount,
    folders: ['v2 /sys/fs/cgroup/system.slice/millrace.service/millrace'],
  },
  {
    claim: 'a container that sees only its own group',
    memberships: '0::/\n',
    mounts: unifiedMount,
    folders: ['v2 /sys/fs/cgroup'],
  },
  {
    claim: 'a host with cgroup v1',
    memberships: '5:memory:/a\n4:cpu,cpuacct:/b\n',
    mounts:
      '36 25 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n37 25 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    folders: ['v1 /sys/fs/cgroup/memory/a', 'v1 /sys/fs/cgroup/cpu,cpuacct/b'],
  },
  {
    claim: 'a container whose group is mounted as the root',
    memberships: '5:memory:/docker/1f/apps\n',
    mounts: '37 25 0:32 /docker/1f /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    folders: ['v1 /sys/fs/cgroup/memory/apps'],
  },
  {
    claim: 'a group outside the mount',
    memberships: '5:memory:/docker/1f0\n0::/../elsewhere\n',
    mounts: `37 25 0:32 /docker/1f /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n${unifiedMount}`,
    folders: [],
  },
  { claim: 'nothing mounted', memberships: '0::/a\n', mounts: '1 0 8:1 / / rw - ext4 /dev/sda rw', folders: [] },
]

test.each(cases)('[E25] $claim', ({ memberships, mounts, folders }) => {
  expect(ownFolders(memberships, mounts)).toEqual(folders)
})

test('[E25] no controller is enabled below a group with processes', () => {
  const base = mkdtempSync(join(tmpdir(), 'millrace-crowded-'))
  onTestFinished(() => rmSync(base, { recursive: true }))
  const files = { type: 'domain', procs: '1\n', controllers: 'cpuset cpu io memory pids', subtree_control: '' }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(base, `cgroup.${name}`), content)
  expect(findLocation([{ counts: [''], own: base, unified: true }])).toBeUndefined()
  expect(readFileSync(join(base, 'cgroup.subtree_control'), 'utf8')).toBe('')
})

// Skipped where this test cannot create groups, or is not root and cannot delegate them.
const groups = findControlGroups(silentLog)
const root = process.geteuid?.() === 0 && groups !== undefined

test.skipIf(!groups)(
  '[E25] an engine that shares its group with other processes can use all controllers below it',
  async () => {
    await groups?.claim(`shared-${process.pid}`)
    const limits = { memoryBytes: 4e9, processes: 64, idleMemoryBytes: 4e9, idleCpuShare: 0.1 }
    const shared = groups?.create('group', limits)
    const [program = '', ...inside] = shared?.enter ?? []
    const other = spawn(program, [...inside, 'sh', '-c', 'echo up; exec sleep 600'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    await once(other.stdout, 'data')
    const look = `const { findControlGroups } = await import(${JSON.stringify(import.meta.resolve('./control-groups.ts'))})
    console.log(findControlGroups(() => {})?.found)`
    const found = await promisify(execFile)(program, [...inside, process.execPath, '--input-type=module', '-e', look])
    shared?.kill()
    await once(other, 'exit')
    // Created by the engine inside, if one was needed.
    for (const base of new Set(Object.values(findOwnLocation()?.folders ?? {}))) {
      const moved = join(base, `shared-${process.pid}.group`, 'millrace')
      if (existsSync(moved)) rmdirSync(moved)
    }
    await shared?.remove()
    expect(found.stdout.trim()).toBe(groups?.found)
  },
)

test.skipIf(!root)(
  '[E25] a user with a delegated group creates groups in it and moves its processes into them',
  async () => {
    const uid = 61_000 + (process.pid % 500)
    // Waits for its input, as an engine waits for its settings; then creates a group as an engine does.
    const script =
      'read go; for base; do mkdir "$base/app" && sh -c \'echo $$ > "$0/app/cgroup.procs"\' "$base" || exit 1; rmdir "$base/app"; done'
    const outers = [...new Set(Object.values(findOwnLocation()?.folders ?? {}))].map((base) => `${base}/engine-${uid}`)
    const engine = spawn('/bin/sh', ['-c', script, 'engine', ...outers], {
      uid,
      gid: uid,
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    const made = handOverGroups(engine.pid ?? 0, uid)
    engine.stdin?.end('go\n')
    expect(await once(engine, 'exit')).toEqual([0, null])
    expect(made).toHaveLength(outers.length * 2)
    // The groups are empty.
    for (const folder of made) rmdirSync(folder)
  },
)
