// Runs and reads per second with 1 to 6 servers on one machine, from a packed tree. `npm run bench -- scale` packs the
// tree into a temporary folder and runs it here. `npm run bench -- scale <file>` only writes the archive; on the other
// machine, unpack it with `tar -xf <file>` and run `./start.sh`.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pack, writeTree } from './support/scale/pack.ts'

const [, file] = process.argv.slice(2)
if (file !== undefined) {
  await pack(resolve(file))
  console.log(`Wrote ${resolve(file)}. On the other machine: tar -xf <file> -C <folder> && <folder>/start.sh`)
} else {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-scale-run-'))
  try {
    // The database runs as a user of its own.
    await chmod(folder, 0o755)
    await writeTree(folder)
    const [code] = (await once(spawn(join(folder, 'start.sh'), { stdio: 'inherit' }), 'exit')) as [number | null]
    process.exitCode = code ?? 1
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
