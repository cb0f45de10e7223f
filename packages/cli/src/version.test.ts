// Guarantees: `millrace --version` prints the version of the package, without loading the program.
import { spawnSync } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { version } from './version.ts'

const own = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))

it('prints the version, even where the program cannot be loaded', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-version-'))
  try {
    for (const path of ['bin/millrace.mjs', 'package.json']) await cp(own(path), join(folder, path))
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin/millrace.mjs'), '--version'])
    expect(`${stdout}${stderr}`).toBe(`${version}\n`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
