// Guarantees: a command for an existing installation never creates one: it fails in another folder and finds the
// installation from a subfolder.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { findInstallation } from './find-installation.ts'

const program = fileURLToPath(new URL('main.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'millrace-operator-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const admin = (cwd: string, ...args: string[]): Promise<{ code: number; said: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH } }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: out + err }),
    )
  })

test('a folder without an installation', async () => {
  const { code, said } = await admin(folder, 'doctor', '--data-dir', '.millrace')
  expect(code).toBe(2)
  expect(said).toMatch(/^There is no Millrace installation in .*\.millrace\. Go to the folder .*--data-dir/)
  expect(existsSync(join(folder, '.millrace'))).toBe(false)
})

test('a data folder without an installation', async () => {
  const { code, said } = await admin(folder, 'doctor', '--data-dir', join(folder, 'elsewhere'))
  expect([code, said.includes(join(folder, 'elsewhere'))]).toEqual([2, true])
})

test('a folder below an installation uses that one', async () => {
  const below = join(folder, 'home', 'apps', 'mine')
  mkdirSync(below, { recursive: true })
  const data = join(folder, 'home', '.millrace')
  mkdirSync(data, { recursive: true })
  // The state after a failed start: only the lock file.
  writeFileSync(join(data, 'claim.lock'), '')
  const started = await admin(below, 'doctor', '--data-dir', '.millrace')
  expect(started.code).toBe(2)
  mkdirSync(join(data, 'postgres'))
  const { said } = await admin(below, 'doctor')
  expect(said).not.toContain('There is no Millrace installation')
  expect(existsSync(join(below, '.millrace'))).toBe(false)
})

test('elsewhere the only running installation is used', () => {
  const processes = join(folder, 'processes')
  const start = (number: number, command: string[], environment: string[] = []): string => {
    const cwd = join(folder, `clone-${number}`)
    const shown = join(processes, String(number))
    for (const made of [cwd, shown]) mkdirSync(made, { recursive: true })
    symlinkSync(cwd, join(shown, 'cwd'))
    writeFileSync(join(shown, 'cmdline'), command.join('\0'))
    writeFileSync(join(shown, 'environ'), environment.join('\0'))
    return cwd
  }
  const find = () => findInstallation(join(folder, 'nowhere', '.millrace'), false, processes)
  start(1, ['node', 'another.ts'])
  expect(find).toThrow('There is no Millrace installation')
  const first = join(start(2, ['node', '/x/scripts/start.ts', '--port', '1', '--data-dir=data']), 'data')
  expect(find).toThrow('There is no Millrace installation')
  mkdirSync(join(first, 'postgres'), { recursive: true })
  expect(find()).toBe(first)
  expect(() => findInstallation(join(folder, 'named'), true, processes)).toThrow('There is no Millrace installation')
  const second = join(start(3, ['node', 'packages/server/src/start/main.mjs'], ['DATA_DIR=mine', 'A=b']), 'mine')
  mkdirSync(join(second, 'postgres'), { recursive: true })
  expect(find).toThrow(`several are running here. Name one with --data-dir: ${first}, ${second}`)
})
