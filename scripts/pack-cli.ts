// Makes the `millrace` package: the command line, the engine and its runners in one folder without dependencies, as
// `npm pack` takes it. Node refuses TypeScript inside node_modules, so the sources are joined into plain JavaScript.
// Usage: npm run pack-cli [-- folder]; prints the path of the archive.
import { execFileSync } from 'node:child_process'
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const target = resolve(process.argv[2] ?? join(root, 'dist'))
const folder = join(target, 'millrace')

/** The oldest Node.js it is written for; the clone brings its own, a package has to make do with what is there. */
const oldestNode = 22

/** Where the engine's program lies is told by its neighbour; in the package it has another name. */
const engineProgram: Plugin = {
  name: 'engine-program',
  setup: (bundle) =>
    bundle.onLoad({ filter: /engine\/src\/supervise\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replace("'./main.mjs'", "'./engine.mjs'"),
      loader: 'ts',
    })),
}

/** What some packages still ask for by its CommonJS name. */
const commonNames = `import { createRequire as __createRequire } from 'node:module'
const require = __createRequire(import.meta.url)
const __dirname = import.meta.dirname
`

const bundleInto = (entry: string, outfile: string) =>
  build({
    entryPoints: [join(root, entry)],
    outfile: join(folder, outfile),
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: `node${oldestNode}`,
    legalComments: 'eof',
    logLevel: 'error',
    plugins: [engineProgram],
    // Binaries of its own: a command that wants a terminal says what is missing.
    external: ['@lydell/node-pty'],
    banner: { js: commonNames },
  })

const launcher = `#!/usr/bin/env node
// Plain words for an old Node, before anything is loaded that it could not read.
if (Number(process.versions.node.split('.')[0]) < ${oldestNode}) {
  console.error('millrace needs Node.js ${oldestNode} or newer; this is ' + process.versions.node)
  process.exit(1)
}
// Compiled once and kept in a folder of this person's, which halves the time to the first word.
const { enableCompileCache } = await import('node:module')
const { homedir } = await import('node:os')
const { join } = await import('node:path')
enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'millrace'))
await import('../dist/cli.mjs')
`

await rm(folder, { recursive: true, force: true })
await mkdir(join(folder, 'bin'), { recursive: true })
const { version } = JSON.parse(await readFile(join(root, 'packages/cli/package.json'), 'utf8')) as { version: string }
await bundleInto('packages/cli/src/start.ts', 'dist/cli.mjs')
await bundleInto('packages/engine/src/program.ts', 'dist/engine.mjs')
await bundleInto('packages/engine/runner/node/main.mjs', 'runner/node/main.mjs')
// A program of its own beside it: the way out of a sandbox.
await cp(join(root, 'packages/engine/runner/node/forward.mjs'), join(folder, 'runner/node/forward.mjs'))
await cp(join(root, 'packages/engine/runner/python'), join(folder, 'runner/python'), {
  recursive: true,
  filter: (path) => !path.includes('__pycache__'),
})
await cp(join(root, 'packages/engine/kit'), join(folder, 'kit'), { recursive: true })
await cp(join(root, 'packages/cli/README.md'), join(folder, 'README.md'))
await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
await writeFile(join(folder, 'bin/millrace.mjs'), launcher)
await chmod(join(folder, 'bin/millrace.mjs'), 0o755)
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
const packed = execFileSync('npm', ['pack', '--pack-destination', target, '--loglevel=error'], {
  cwd: folder,
  encoding: 'utf8',
})
console.log(join(target, packed.trim().split('\n').at(-1) ?? ''))
