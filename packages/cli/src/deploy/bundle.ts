// Packs the folder of an app into a zip. Links are followed. Packages, virtual environments and the version history are
// left out. The same files give the same bytes.
import { createWriteStream } from 'node:fs'
import { access, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ZipFile } from 'yazl'
import { CliFailure } from '../failures.ts'

const leftOut = new Set(['.git', '.hg', '.svn', '.venv', 'venv', 'node_modules', '__pycache__', '.DS_Store'])

export type BundleFile = { readonly path: string; readonly name: string; readonly executable: boolean }

/** Names with forward slashes, sorted by bytes. */
export const bundleFiles = async (folder: string): Promise<BundleFile[]> => {
  const files: BundleFile[] = []
  const dangling: string[] = []
  const walk = async (path: string, prefix: string, above: readonly string[]): Promise<void> => {
    const real = await realpath(path)
    if (above.includes(real)) throw new CliFailure(`${prefix} is a link to a folder that contains the link`)
    for (const entry of await readdir(path)) {
      if (leftOut.has(entry)) continue
      const at = join(path, entry)
      const found = await stat(at).catch(() => undefined)
      if (!found) dangling.push(`${prefix}${entry}`)
      else if (found.isDirectory()) {
        if (!(await isVirtualEnvironment(at))) await walk(at, `${prefix}${entry}/`, [...above, real])
      } else if (found.isFile())
        files.push({ path: at, name: `${prefix}${entry}`, executable: (found.mode & 0o111) !== 0 })
    }
  }
  await walk(folder, '', [])
  if (dangling.length > 0)
    throw new CliFailure('The folder contains links to files that do not exist', {
      code: 'dangling_links',
      details: dangling.sort(),
    })
  return files.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
}

const isVirtualEnvironment = (folder: string): Promise<boolean> =>
  access(join(folder, 'pyvenv.cfg')).then(
    () => true,
    () => false,
  )

const fixedTime = new Date(Date.UTC(2020, 0, 1))

/** `generated` are files that the deploy writes. They replace files of the same name. */
export const writeBundle = async (
  files: readonly BundleFile[],
  generated: Readonly<Record<string, string>>,
  target: string,
): Promise<void> => {
  const zip = new ZipFile()
  for (const { path, name, executable } of files)
    if (!Object.hasOwn(generated, name))
      zip.addFile(path, name, { mtime: fixedTime, mode: executable ? 0o100755 : 0o100644 })
  for (const [name, text] of Object.entries(generated).sort(([a], [b]) => (a < b ? -1 : 1)))
    zip.addBuffer(Buffer.from(text), name, { mtime: fixedTime, mode: 0o100644 })
  const written = pipeline(zip.outputStream, createWriteStream(target))
  zip.once('error', (error: Error) => zip.outputStream.emit('error', error))
  zip.end()
  await written
}

type Discovered = {
  functions: Record<string, { description?: string; input_schema: unknown; output_schema: unknown }>
}

/** The schemas as files, for readers of the bundle that cannot load its code. */
export const schemaFiles = (discovered: Discovered, defaultFunction: string): Record<string, string> => {
  const main = discovered.functions[defaultFunction]
  const all = Object.fromEntries(
    Object.entries(discovered.functions).map(([name, { description = '', input_schema, output_schema }]) => [
      name,
      { description, input_schema, output_schema },
    ]),
  )
  const text = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`
  return {
    'functions_schema.json': text(all),
    ...(main ? { 'input_schema.json': text(main.input_schema), 'output_schema.json': text(main.output_schema) } : {}),
  }
}
