// Guarantees: packages.txt of an app queries the machine once, never removes a package, and never matches by pattern.

import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLimitWatch } from '../machine/limit-watch.ts'
import { plainProcess } from '../runtimes/plain-process.ts'
import type { EnvironmentHost } from './environment.ts'
import { findMissing, readPackages } from './system-packages.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-packages-'))
  // Stand-ins for the machine's programs; they record their calls.
  const program = async (name: string, script: string) => {
    await writeFile(
      join(root, name),
      `#!/bin/sh\nprintf '%s ' ${name} "$@" >> ${root}/calls\necho >> ${root}/calls\n${script}\n`,
    )
    await chmod(join(root, name), 0o755)
  }
  await program('dpkg-query', 'echo "have installed"\necho "had config-files"\nexit 1')
  await program('apt-get', '')
})
afterAll(() => rm(root, { recursive: true }))

const missing = async (text: string, installsSystemPackages: boolean) => {
  await writeFile(join(root, 'packages.txt'), text)
  await writeFile(join(root, 'calls'), '')
  const request = {
    bundle: root,
    kernel: { language: 'node' as const, version: '22' },
    signal: new AbortController().signal,
    onLine: () => {},
  }
  const limits = { memoryBytes: 1e9, processes: 9, idleMemoryBytes: 1e9, idleCpuShare: 1 }
  const host: EnvironmentHost = {
    env: { PATH: `${root}:/usr/bin:/bin` },
    runtime: plainProcess({ limitWatch: createLimitWatch() }),
    limits,
    diskLimits: { scratchBytes: 1e9, persistentBytes: 1e9, files: 1000, freeBytes: 0 },
    scratchRoot: root,
    installsSystemPackages,
    providedFrom: root,
  }
  const found = await findMissing(request, host)
  return { found, calls: (await readFile(join(root, 'calls'), 'utf8')).split(' \n').filter(Boolean) }
}

test('[E38] the machine is queried once for any number of packages', async () => {
  const names = Array.from({ length: 150 }, (_, number) => `lib${number}`)
  const { found, calls } = await missing(['have', 'had', ...names].join('\n'), false)
  expect(found).toEqual(['had', ...names])
  expect(calls).toHaveLength(1)
})

test('[E38] too many packages are rejected', () => {
  const names = Array.from({ length: 201 }, (_, number) => `lib${number}`)
  expect(() => readPackages(names.join('\n'))).toThrow('packages.txt lists more than 200 packages')
})

test('[E38] a name never removes a package and is never a pattern', async () => {
  expect(readPackages('bubblewrap-\n--purge\ng++ # a compiler\nlibx.1-dev\nx\n')).toEqual(['g++', 'libx.1-dev'])
  const { calls } = await missing('wanted\n', true)
  expect(calls[1]).toMatch(/^apt-get install .*APT::Cmd::Pattern-Only=true -- wanted$/)
})
