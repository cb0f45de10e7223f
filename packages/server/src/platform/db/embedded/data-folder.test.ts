// Guarantees: one Millrace process per data folder; a second one reports the holder's process id; a killed holder
// leaves no lock.
import { spawn } from 'node:child_process'
import { statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { until } from '../../../testing/until.ts'
import { claimDataFolder } from './data-folder.ts'
import { adopted, emptyFolder, startOwner, tidyUp } from './testing/setup.ts'

afterAll(tidyUp)

test('the second claim in one process is rejected until the first is released', async () => {
  const dataDir = emptyFolder()
  const first = await claimDataFolder(dataDir)
  await expect(claimDataFolder(dataDir)).rejects.toThrow(`${dataDir} is in use by Millrace process ${process.pid}`)
  await first.release()
  const second = await claimDataFolder(dataDir)
  // Releasing the first claim again must not release the second.
  await first.release()
  await expect(claimDataFolder(dataDir)).rejects.toThrow('in use')
  await second.release()
})

test.skipIf(process.platform !== 'linux')('a place that takes no folders is refused at once', async () => {
  await expect(claimDataFolder('/proc/x')).rejects.toThrow('The data folder /proc/x cannot be created or opened')
})

test('another process has the folder: the error names folder and process, also for another path', async () => {
  const dataDir = emptyFolder()
  const alias = join(emptyFolder(), 'alias')
  symlinkSync(dataDir, alias)
  const owner = startOwner(dataDir, 'claimed')
  await until(() => owner.lines.includes('claimed'))
  const refusal = `is in use by Millrace process ${owner.child.pid}`
  await expect(claimDataFolder(dataDir)).rejects.toThrow(`${dataDir} ${refusal}`)
  await expect(claimDataFolder(alias)).rejects.toThrow(refusal)
  await owner.kill()
  await (await claimDataFolder(alias)).release()
})

test('exactly one of many processes that start at once gets a folder whose holder was killed', async () => {
  const dataDir = emptyFolder()
  const dead = startOwner(dataDir, 'claimed')
  await until(() => dead.lines.includes('claimed'))
  await dead.kill()
  const source = `
    const { claimDataFolder } = await import(${JSON.stringify(new URL('data-folder.ts', import.meta.url).href)})
    const until = Number(process.argv[2])
    while (Date.now() < until) {}
    try { await claimDataFolder(process.argv[1]); console.log('won'); setInterval(() => {}, 60_000) }
    catch { console.log('refused') }`
  const startAt = String(Date.now() + 1_500)
  const rivals = Array.from({ length: 4 }, () =>
    adopted(spawn(process.execPath, ['--input-type=module', '-e', source, dataDir, startAt])),
  )
  const answers = rivals.map(async (rival) => {
    const [first] = await new Promise<unknown[]>((done) => rival.stdout.once('data', (...chunk) => done(chunk)))
    return String(first).trim()
  })
  expect((await Promise.all(answers)).sort()).toEqual(['refused', 'refused', 'refused', 'won'])
})

test('a data folder is made private, and a file in its place is a clear error', async () => {
  const dataDir = join(emptyFolder(), 'made', 'here')
  const claim = await claimDataFolder(dataDir)
  expect(statSync(dataDir).mode & 0o777).toBe(0o700)
  await claim.release()
  const file = join(emptyFolder(), 'file')
  writeFileSync(file, '')
  await expect(claimDataFolder(file)).rejects.toThrow(`The data folder ${file} cannot be created or opened`)
})
