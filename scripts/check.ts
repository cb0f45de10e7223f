// `npm run check`: every check that CI runs besides the tests. All parts run, so that one run reports all problems.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

const parts: { name: string; command: string; args: string[] }[] = [
  { name: 'types', command: bin('tsc'), args: ['-p', root, '--noEmit'] },
  { name: 'types of the console', command: bin('tsc'), args: ['-p', join(root, 'packages/web'), '--noEmit'] },
  {
    name: 'types of the runner and the kit',
    command: bin('tsc'),
    args: ['-p', join(root, 'packages/engine/tsconfig.runner.json')],
  },
  { name: 'Python runner', command: process.execPath, args: [join(root, 'scripts/python-checks.ts')] },
  { name: 'lint and format', command: bin('biome'), args: ['check', '--error-on-warnings', '.'] },
  { name: 'direction of imports', command: process.execPath, args: [join(root, 'scripts/direction.ts')] },
  { name: 'rules of SQL', command: process.execPath, args: [join(root, 'scripts/sql-rules.ts')] },
  { name: 'citations', command: process.execPath, args: [join(root, 'scripts/citations.ts')] },
  { name: 'length of files and functions', command: process.execPath, args: [join(root, 'scripts/budgets.ts')] },
  { name: 'locations of SQL', command: process.execPath, args: [join(root, 'scripts/sql-places.ts')] },
  { name: 'parsers of outside data', command: process.execPath, args: [join(root, 'scripts/parsers.ts')] },
  { name: 'exact names in browser tests', command: process.execPath, args: [join(root, 'scripts/exact-names.ts')] },
  { name: 'lock file', command: process.execPath, args: [join(root, 'scripts/lock-file.ts')] },
  { name: 'voice', command: process.execPath, args: [join(root, 'scripts/voice.ts')] },
  { name: 'commit subjects', command: process.execPath, args: [join(root, 'scripts/commit-subjects.ts')] },
  { name: 'paths in the docs', command: process.execPath, args: [join(root, 'scripts/doc-paths.ts')] },
  { name: 'generated files', command: process.execPath, args: [join(root, 'scripts/generate.ts'), '--check'] },
]

const failed = parts.filter(({ name, command, args }) => {
  console.log(`· ${name}`)
  return spawnSync(command, args, { cwd: root, stdio: 'inherit' }).status !== 0
})

if (failed.length > 0) {
  console.error(`\nFailed: ${failed.map(({ name }) => name).join(', ')}`)
  process.exit(1)
}
console.log('\nAll checks passed')
