// Guarantees: the local engine ends with its server, even if it was only being started.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { isEngineProcess, readPidFile } from './engine-process.ts'
import { startLocalEngine } from './local-engine.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world?.close())

const start = async () => {
  const { platform } = world.open
  const folder = join(platform.settings.DATA_DIR, 'engine')
  const stop = await startLocalEngine({ ...platform, settings: { ...platform.settings, ENGINE: true } })
  return { folder, stop }
}

it('a server that stops while it starts its engine leaves no process and does not wait for it', async () => {
  const { folder, stop } = await start()
  await expect.poll(() => readdir(folder).catch(() => [])).not.toEqual([])
  await stop()
  expect(await readPidFile(folder)).toBeNull()
})

it('a server that stops ends its engine', async () => {
  const { folder, stop } = await start()
  await expect.poll(() => readPidFile(folder), { timeout: 60_000 }).not.toBeNull()
  const { pid = 0 } = (await readPidFile(folder)) ?? {}
  expect(await isEngineProcess(pid)).toBe(true)
  await stop()
  expect(await isEngineProcess(pid)).toBe(false)
  expect(await readPidFile(folder)).toBeNull()
})
