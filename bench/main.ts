// `npm run bench -- <name>`: runs one benchmark. Each prints figures measured side by side in the same run, and their
// ratio: on a shared machine only ratios are meaningful.
import { readdir } from 'node:fs/promises'
import { joinPrograms } from '../scripts/join-programs.ts'

const names = (await readdir(new URL('.', import.meta.url)))
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.replace(/\.ts$/, ''))
const [name] = process.argv.slice(2)

if (name === undefined || !names.includes(name)) {
  console.error(`Usage: npm run bench -- <name>, where <name> is one of: ${names.sort().join(', ')}`)
  process.exit(2)
}
await joinPrograms()
await import(`./${name}.ts`)
