// Guards: control groups are made below the engine's own group, in every way in which hosts and containers show them, and an
// engine that is not root can make some in what root handed over to it.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { silentLog } from '../log.ts'
import { findOwnPlace, handOverGroups, readHierarchies } from './control-group-place.ts'
import { findControlGroups } from './control-groups.ts'

const unifiedMount = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate'
const ownFolders = (memberships: string, mounts: string) =>
  readHierarchies(memberships, mounts).map(({ own, unified }) => `${unified ? 'v2' : 'v1'} ${own}`)

const cases = [
  {
    claim: 'a service of a host with one hierarchy',
    memberships: '0::/system.slice/millrace.service/millrace\n',
    mounts: unifiedMount,
    folders: ['v2 /sys/fs/cgroup/system.slice/millrace.service/millrace'],
  },
  {
    claim: 'a container that sees only its own',
    memberships: '0::/\n',
    mounts: unifiedMount,
    folders: ['v2 /sys/fs/cgroup'],
  },
  {
    claim: 'one hierarchy for each controller',
    memberships: '5:memory:/a\n4:cpu,cpuacct:/b\n',
    mounts:
      '36 25 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n37 25 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    folders: ['v1 /sys/fs/cgroup/memory/a', 'v1 /sys/fs/cgroup/cpu,cpuacct/b'],
  },
  {
    claim: 'a container whose group is mounted as if it were all',
    memberships: '5:memory:/docker/1f/apps\n',
    mounts: '37 25 0:32 /docker/1f /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory',
    folders: ['v1 /sys/fs/cgroup/memory/apps'],
  },
  {
    claim: 'a group outside of what is mounted',
    memberships: '5:memory:/docker/1f0\n0::/../elsewhere\n',
    mounts: `37 25 0:32 /docker/1f /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n${unifiedMount}`,
    folders: [],
  },
  { claim: 'nothing mounted', memberships: '0::/a\n', mounts: '1 0 8:1 / / rw - ext4 /dev/sda rw', folders: [] },
]

test.each(cases)('[E25] $claim', ({ memberships, mounts, folders }) => {
  expect(ownFolders(memberships, mounts)).toEqual(folders)
})

// Skipped where this test cannot make groups itself, or is nobody who could give them away.
const root = process.geteuid?.() === 0 && findControlGroups(silentLog) !== undefined

test.skipIf(!root)(
  '[E25] the user that root handed groups to makes more of them, and processes of its own enter',
  async () => {
    const uid = 61_000 + (process.pid % 500)
    // Waits to be let go, as an engine waits for its settings; then does what an engine does.
    const script =
      'read go; for base; do mkdir "$base/app" && sh -c \'echo $$ > "$0/app/cgroup.procs"\' "$base" || exit 1; rmdir "$base/app"; done'
    const outers = [...new Set(Object.values(findOwnPlace()?.folders ?? {}))].map((base) => `${base}/engine-${uid}`)
    const engine = spawn('/bin/sh', ['-c', script, 'engine', ...outers], {
      uid,
      gid: uid,
      stdio: ['pipe', 'ignore', 'inherit'],
    })
    const made = handOverGroups(engine.pid ?? 0, uid)
    engine.stdin?.end('go\n')
    expect(await once(engine, 'exit')).toEqual([0, null])
    expect(made).toHaveLength(outers.length * 2)
    // Nobody is left inside.
    for (const folder of made) rmdirSync(folder)
  },
)
