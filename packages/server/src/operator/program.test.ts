// Guards: a command for an installation never makes one: in a folder without it, it says so; below one, it finds it.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const program = fileURLToPath(new URL('main.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'millrace-operator-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const admin = (cwd: string, ...args: string[]): Promise<{ code: number; said: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [program, ...args], { cwd, env: { PATH: process.env.PATH } }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: out + err }),
    )
  })

test('a folder without an installation', async () => {
  const { code, said } = await admin(folder, 'doctor')
  expect(code).toBe(2)
  expect(said).toMatch(/^There is no Millrace installation in .*\.millrace\. Go to the folder .*--data-dir/)
  expect(existsSync(join(folder, '.millrace'))).toBe(false)
})

test('a data folder that holds none', async () => {
  const { code, said } = await admin(folder, 'doctor', '--data-dir', join(folder, 'elsewhere'))
  expect([code, said.includes(join(folder, 'elsewhere'))]).toEqual([2, true])
})

test('a folder below an installation means that one', async () => {
  const below = join(folder, 'home', 'apps', 'mine')
  mkdirSync(below, { recursive: true })
  const started = await admin(below, 'doctor')
  expect(started.code).toBe(2)
  // As a first start leaves it behind: claimed, without a database yet.
  mkdirSync(join(folder, 'home', '.millrace', 'postgres'), { recursive: true })
  const { said } = await admin(below, 'doctor')
  expect(said).not.toContain('There is no Millrace installation')
  expect(existsSync(join(below, '.millrace'))).toBe(false)
})
