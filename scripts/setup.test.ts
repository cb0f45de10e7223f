// Guarantees: what a clone installs, and when: the product's packages for `npm start`, all packages for everything else,
// and nothing more until the lock file changes.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { root } from './source-files.ts'

let clone: string
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'millrace-setup-'))
  mkdirSync(join(clone, 'scripts'))
  mkdirSync(join(clone, 'node_modules'))
  cpSync(join(root, 'scripts/setup.mjs'), join(clone, 'scripts/setup.mjs'))
  writeFileSync(join(clone, 'package-lock.json'), '{}')
  // Replaces npm and records its arguments.
  writeFileSync(
    join(clone, 'npm.cjs'),
    "require('node:fs').appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n')",
  )
  writeFileSync(join(clone, 'calls'), '')
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

const setUp = (...args: string[]): string[] => {
  writeFileSync(join(clone, 'calls'), '')
  const { status } = spawnSync(process.execPath, ['scripts/setup.mjs', ...args], {
    cwd: clone,
    env: { ...process.env, npm_execpath: join(clone, 'npm.cjs') },
  })
  expect(status).toBe(0)
  const calls = readFileSync(join(clone, 'calls'), 'utf8').split('\n').filter(Boolean)
  return calls.map((call) => (call.includes('--omit=dev') ? 'the product' : 'all'))
}

it('npm start installs the product, a test adds the rest, and neither installs again', () => {
  expect(setUp('--runtime')).toEqual(['the product'])
  expect(setUp('--runtime')).toEqual([])
  expect(setUp()).toEqual(['all'])
  expect(setUp()).toEqual([])
  expect(setUp('--runtime')).toEqual([])
})

it('a changed lock file causes an installation that keeps the developer’s tools', () => {
  expect(setUp()).toEqual(['all'])
  writeFileSync(join(clone, 'package-lock.json'), '{"changed":true}')
  expect(setUp('--runtime')).toEqual(['all'])
  expect(setUp('--runtime')).toEqual([])
})
