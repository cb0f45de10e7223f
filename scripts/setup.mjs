// Prepares a fresh clone: installs the packages if they are missing or older than the lock file. With `--runtime`, only
// those that the product itself needs, so that the first `npm start` does not wait for a browser and a compiler. Plain
// JavaScript without package imports, because it runs on the host's own Node before Node 24 is installed.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stampFile = join(root, 'node_modules', '.millrace-setup')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
const [installed = '', scope = 'all'] = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').split(' ') : []
const runtimeIsEnough = process.argv.includes('--runtime')
// A full installation is kept, even if the runtime packages are enough.
const installs = runtimeIsEnough && (installed === '' || scope === 'runtime') ? 'runtime' : 'all'

if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Millrace needs Node.js 20 or newer to set itself up; this is ${process.version}.`)
  process.exit(1)
}

if (installed !== wanted || (scope === 'runtime' && !runtimeIsEnough)) {
  console.error('Installing packages (once per change of package-lock.json) …')
  const npm = process.env.npm_execpath
  const [command, args] = npm ? [process.execPath, [npm]] : ['npm', []]
  // Not `npm ci`: it refuses a lock file that lacks the optional packages of other platforms, and a registry mirror may
  // have only some platforms. These flags also install the locked versions and do not change the lock file.
  const flags = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const result = spawnSync(command, [...args, 'install', ...flags, ...(installs === 'runtime' ? ['--omit=dev'] : [])], {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    env: { ...process.env, NODE_ENV: 'development' },
  })
  if (result.status !== 0) {
    console.error('The packages could not be installed; see the message of npm above.')
    process.exit(result.status ?? 1)
  }
  writeFileSync(stampFile, installs === 'runtime' ? `${wanted} runtime` : wanted)
}
