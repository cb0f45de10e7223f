// Packs the command line, the engine and its runners into one npm package without dependencies. Node.js refuses TypeScript
// inside node_modules, so the sources are bundled into plain JavaScript. `npm start` packs it for the server, which offers
// it at /cli/millrace.tgz.
// Usage: npm run pack-cli [-- folder]; prints the path of the archive.
import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'
import { cacheFolder, isFresh, originFile, originOf } from '../packages/launch/src/launch.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The archive that the server offers. */
const servedArchive = join(root, 'packages/cli/dist/millrace.tgz')
const originName = 'cli-package'

/** The oldest Node.js that runs the package. A clone has a Node.js of its own; a package uses the installed one. */
const oldestNode = 22

/** The package has another name for the file that starts the engine. */
const engineProgram: Plugin = {
  name: 'engine-program',
  setup: (bundle) =>
    bundle.onLoad({ filter: /engine\/src\/supervise\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace("'./main.mjs'", "'./engine.mjs'"),
      loader: 'ts',
    })),
}

/** Some packages still use these CommonJS names. */
const commonNames = `import { createRequire as __createRequire } from 'node:module'
const require = __createRequire(import.meta.url)
const __dirname = import.meta.dirname
`

const launcher = `#!/usr/bin/env node
// This file must parse on old versions of Node.js, so that they print this error instead of a syntax error.
if (Number(process.versions.node.split('.')[0]) < ${oldestNode}) {
  console.error('millrace needs Node.js ${oldestNode} or newer; this is ' + process.versions.node)
  process.exit(1)
}
// Printed without loading the program, because scripts call it often.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  const { readFileSync } = await import('node:fs')
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
  process.exit()
}
// The compile cache halves the start time.
const { enableCompileCache } = await import('node:module')
const { homedir } = await import('node:os')
const { join } = await import('node:path')
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace'))
await import('../dist/cli.mjs')
`

const bundles = [
  ['packages/cli/src/start.ts', 'dist/cli.mjs'],
  ['packages/engine/src/program.ts', 'dist/engine.mjs'],
  ['packages/engine/runner/node/main.mjs', 'runner/node/main.mjs'],
] as const

const copies = [
  ['packages/engine/runner/node/forward.mjs', 'runner/node/forward.mjs'],
  ['packages/engine/runner/python', 'runner/python'],
  ['packages/engine/kit', 'kit'],
  ['packages/cli/README.md', 'README.md'],
  ['LICENSE', 'LICENSE'],
] as const

/** Returns the sources of the bundle. */
const bundleInto = async (folder: string, entry: string, outfile: string): Promise<string[]> => {
  const { metafile } = await build({
    entryPoints: [join(root, entry)],
    outfile: join(folder, outfile),
    absWorkingDir: root,
    bundle: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: `node${oldestNode}`,
    legalComments: 'eof',
    logLevel: 'error',
    plugins: [engineProgram],
    // A package with native binaries; commands that need it report that it is missing.
    external: ['@lydell/node-pty'],
    banner: { js: commonNames },
  })
  return Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/'))
}

const isCopied = (path: string): boolean => !path.includes('__pycache__')

/** The files of a folder, or the file itself. */
const filesBelow = async (path: string): Promise<string[]> => {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch(() => null)
  if (entries === null) return [path]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isCopied)
}

const writeManifest = async (folder: string): Promise<void> => {
  const { version } = JSON.parse(await readFile(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string }
  const manifest = {
    name: 'millrace',
    version,
    description: 'The command line of Millrace, with its engine',
    type: 'module',
    license: 'Apache-2.0',
    bin: { millrace: 'bin/millrace.mjs' },
    engines: { node: `>=${oldestNode}` },
  }
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

/** Packs into `target` and returns the archive and the sources that it was packed from. */
const pack = async (target: string): Promise<{ archive: string; sources: readonly string[] }> => {
  const folder = join(target, 'millrace')
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, 'bin'), { recursive: true })
  const bundled = await Promise.all(bundles.map(([entry, outfile]) => bundleInto(folder, entry, outfile)))
  for (const [from, to] of copies) await cp(join(root, from), join(folder, to), { recursive: true, filter: isCopied })
  await writeFile(join(folder, 'bin/millrace.mjs'), launcher)
  await chmod(join(folder, 'bin/millrace.mjs'), 0o755)
  await writeManifest(folder)
  const { stdout } = await promisify(execFile)('npm', ['pack', '--pack-destination', target, '--loglevel=error'], {
    cwd: folder,
  })
  const copied = await Promise.all(copies.map(([from]) => filesBelow(from)))
  const sources = [...bundled.flat(), ...copied.flat(), 'packages/cli/package.json', 'scripts/pack-cli.ts']
  return { archive: join(target, stdout.trim().split('\n').at(-1) ?? ''), sources }
}

/** Packs the archive that the server offers, if a source has changed since the last time. */
export const packServedCli = async (): Promise<void> => {
  if (isFresh(originName)) return
  await mkdir(cacheFolder, { recursive: true })
  await mkdir(join(root, 'packages/cli/dist'), { recursive: true })
  const folder = await mkdtemp(join(cacheFolder, 'pack-'))
  try {
    const { archive, sources } = await pack(folder)
    // Renamed, because a running server may be sending the previous archive. The origin is written last.
    await rename(archive, servedArchive)
    const watched = [...new Set(sources.map((path) => resolve(root, path))), servedArchive]
    await writeFile(originFile(originName), JSON.stringify(originOf(watched)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log((await pack(resolve(process.argv[2] ?? join(root, 'dist')))).archive)
