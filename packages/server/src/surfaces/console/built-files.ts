// The files of the console's last build: a table of names, read once. Requests look up this table, so no path from a
// request ever reaches the disk.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'

export type Encoding = 'br' | 'gzip'

export type BuiltFile = {
  /** The file with its bytes, plain and compressed. */
  readonly path: string
  readonly encodings: ReadonlySet<Encoding>
  readonly contentType: string
  /** The name contains a hash of the content, so the file never changes. */
  readonly immutable: boolean
  readonly etag: string
}

export type BuiltFiles = ReadonlyMap<string, BuiltFile>

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.json': 'application/json; charset=utf-8',
}

const suffixes: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz' }

/** Empty if the console has not been built. */
export const readBuiltFiles = async (folder: string): Promise<BuiltFiles> => {
  const found = await readdir(folder, { recursive: true }).catch(() => [])
  const names = new Set(found.map((name) => name.replaceAll('\\', '/')))
  const files = [...names].filter((name) => contentTypes[extname(name)] !== undefined)
  const built = await Promise.all(
    files.map(async (name): Promise<[string, BuiltFile]> => {
      const path = join(folder, name)
      const hash = createHash('sha256')
        .update(await readFile(path))
        .digest('base64url')
      return [
        name,
        {
          path,
          encodings: new Set((['br', 'gzip'] as const).filter((encoding) => names.has(name + suffixes[encoding]))),
          contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
          immutable: name.startsWith('assets/'),
          etag: `"${hash.slice(0, 22)}"`,
        },
      ]
    }),
  )
  return new Map(built)
}

/** The best encoding that the client accepts, and its file. */
export const chooseForm = (file: BuiltFile, acceptEncoding: string): { path: string; encoding: Encoding | null } => {
  const accepted = new Set(
    acceptEncoding
      .split(',')
      .map((part) => part.trim())
      .filter((part) => !/;\s*q=0(\.0*)?$/.test(part))
      .map((part) => part.split(';')[0]?.trim()),
  )
  for (const encoding of ['br', 'gzip'] as const)
    if (accepted.has(encoding) && file.encodings.has(encoding))
      return { path: file.path + suffixes[encoding], encoding }
  return { path: file.path, encoding: null }
}
