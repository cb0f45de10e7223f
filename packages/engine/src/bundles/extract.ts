// Unpacks a bundle into an empty folder. Sizes are counted while bytes are written and not read from the archive, so
// that a small archive cannot fill the disk.

import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { messageOf, TaskFailure } from '../failures.ts'
import { type BundleLimits, bundleLimits, judgeEntry } from './zip-entry.ts'

export const extractBundle = async (
  archive: string,
  folder: string,
  limits: BundleLimits = bundleLimits,
): Promise<void> => {
  let zip: ZipFile
  try {
    zip = await openPromise(archive, { strictFileNames: true, validateEntrySizes: true })
  } catch (error) {
    throw new TaskFailure(`the bundle is not a readable zip archive: ${messageOf(error)}`)
  }
  try {
    if (zip.entryCount > limits.entries)
      throw new TaskFailure(`the bundle contains more than ${limits.entries} entries`)
    const budget = { leftBytes: limits.extractedBytes }
    for await (const entry of zip.eachEntry()) await extractEntry(zip, entry, folder, budget)
  } catch (error) {
    throw error instanceof TaskFailure
      ? error
      : new TaskFailure(`the bundle could not be unpacked: ${messageOf(error)}`)
  } finally {
    zip.close()
  }
}

const extractEntry = async (zip: ZipFile, entry: Entry, folder: string, budget: { leftBytes: number }) => {
  const verdict = judgeEntry(entry)
  if (verdict.kind === 'refused') throw new TaskFailure(`the bundle is rejected: ${verdict.reason}`)
  if (verdict.kind === 'left out') return
  const target = join(folder, verdict.path)
  if (verdict.kind === 'folder') return void (await mkdir(target, { recursive: true }))
  await mkdir(dirname(target), { recursive: true })
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      budget.leftBytes -= chunk.length
      if (budget.leftBytes < 0) done(new TaskFailure('the bundle is rejected: its unpacked size exceeds the limit'))
      else done(null, chunk)
    },
  })
  // The exclusive flag rejects a second entry with the same name, and anything that already exists.
  await pipeline(
    await zip.openReadStreamPromise(entry),
    count,
    createWriteStream(target, { flags: 'wx', mode: verdict.mode }),
  )
}
