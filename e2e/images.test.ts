// Guarantees: the files that the server's image copies are sufficient to build the console. Package installation is not
// tested: the packages of this folder are used.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const left = new Set(['node_modules', 'dist'])

let folder = ''
afterEach(() => (folder === '' ? undefined : rm(folder, { recursive: true, force: true })))

/** Interprets `COPY package.json scripts … TARGET` like the image builder. */
const runCopyInstructions = (containerfile: string): void => {
  for (const [, words = ''] of containerfile.matchAll(/^COPY (.+)$/gm)) {
    const paths = words.split(/ +/)
    const target = paths.pop() ?? '.'
    for (const path of paths) {
      const to = target.endsWith('/') ? join(folder, target, path) : join(folder, target)
      cpSync(join(root, path), to, { recursive: true, filter: (from) => !left.has(basename(from)) })
    }
  }
}

it.each(['server', 'engine'])('the %s’s image starts an existing program', (name) => {
  const containerfile = readFileSync(join(root, `deploy/${name}.Containerfile`), 'utf8')
  const [, program = ''] = /^ENTRYPOINT .*"\/opt\/millrace\/(packages\/[^"]+)"/m.exec(containerfile) ?? []
  expect(program).toMatch(new RegExp(`^packages/${name}/src/`))
  expect(existsSync(join(root, program))).toBe(true)
})

it('the image of the server copies everything that the console and the CLI builds need', async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-image-'))
  const containerfile = readFileSync(join(root, 'deploy/server.Containerfile'), 'utf8')
  runCopyInstructions(containerfile)
  // A separate cache, so that concurrent builds are not affected.
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => name !== '.cache'))
    symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  for (const name of readdirSync(join(root, 'packages'))) {
    const own = join('packages', name, 'node_modules')
    if (existsSync(join(root, own))) symlinkSync(join(root, own), join(folder, own))
  }
  const scripts = [...containerfile.matchAll(/--eval "(.+)"/g)].map(([, script = '']) => script)
  for (const script of scripts) execFileSync(process.execPath, ['--eval', script], { cwd: folder, stdio: 'pipe' })
  expect(readdirSync(join(folder, 'packages/web/dist'))).toContain('index.html')
  expect(readdirSync(join(folder, 'packages/cli/dist'))).toEqual(['millrace.tgz'])
})
