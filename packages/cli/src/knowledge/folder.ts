// Imports a folder of Markdown files and exports entries to one.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import type { Knowledge } from '@millrace/contract/knowledge'
import type { Api } from '../api/client.ts'
import { CliFailure, usage } from '../failures.ts'
import { utf8Of } from '../files/utf8.ts'
import { findAt } from '../find-refs.ts'
import { entryPaths, isNotePath } from './entry-paths.ts'
import { type EntryFields, readEntry, writeEntry } from './markdown-entry.ts'

export type Imported = { path: string; ref: string; outcome: 'created' | 'updated' | 'unchanged' }

const markdownFiles = async (folder: string): Promise<string[]> => {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => {
    throw usage(`Folder ${folder} cannot be read`)
  })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter(isNotePath)
    .sort()
}

const fieldsOf = (entry: Knowledge): EntryFields => ({
  name: entry.name,
  title: entry.title === entry.name ? '' : entry.title,
  description: entry.description,
  type: entry.type,
  lifecycle: entry.lifecycle,
  tags: entry.version?.tags ?? [],
  scope: entry.version?.scope ?? [],
})

const contentOf = async (api: Api, id: string): Promise<string> => {
  const entry = await api.call('knowledge.get', { path: { id }, query: { include: 'content' } })
  const { content, uri } = entry.version?.content ?? {}
  if (content !== undefined) return content
  const response = await fetch(uri ?? '', { redirect: 'error' })
  if (!response.ok) throw new CliFailure(`The content of ${entry.namespace}/${entry.name} cannot be read`)
  return Buffer.from(await response.arrayBuffer()).toString('utf8')
}

type File = { path: string; content: string; fields: EntryFields }

const readMarkdown = async (folder: string, path: string): Promise<File> => {
  const content = utf8Of(await readFile(join(folder, path)), path)
  try {
    return { path, content, fields: readEntry(path, content) }
  } catch (error) {
    throw usage(`${path}: the front matter is not YAML: ${(error as Error).message.split('\n')[0]}`)
  }
}

/** Two files with one name would overwrite each other's entry. */
const refuseSameNames = (files: readonly File[]): void => {
  const paths = new Map<string, string>()
  for (const { path, fields } of files) {
    const other = paths.get(fields.name)
    if (other !== undefined)
      throw usage(`${other} and ${path} would both be the entry ${fields.name}; set "name:" in the front matter of one`)
    paths.set(fields.name, path)
  }
}

const importFile = async (api: Api, { path, content, fields }: File, namespace: string): Promise<Imported> => {
  const { name, tags, scope, ...texts } = fields
  const version = { content: { path, content }, tags, scope, mutation_type: 'import' as const }
  const existing = await findAt(api, 'knowledge', { namespace, name })
  const ref = `${namespace}/${name}`
  if (!existing) {
    await api.call('knowledge.create', { body: { name, ...texts, version } })
    return { path, ref, outcome: 'created' }
  }
  const same = existing.version?.content.path === path && JSON.stringify(fieldsOf(existing)) === JSON.stringify(fields)
  if (same && (await contentOf(api, existing.id)) === content) return { path, ref, outcome: 'unchanged' }
  await api.call(
    'knowledge.update',
    { path: { id: existing.id }, body: { ...texts, version } },
    { ifMatch: existing.version_id },
  )
  return { path, ref, outcome: 'updated' }
}

/** Reads all files before the first write, so that an invalid folder changes nothing. */
export const importFolder = async (api: Api, folder: string, namespace: string): Promise<Imported[]> => {
  const files: File[] = []
  for (const path of await markdownFiles(folder)) files.push(await readMarkdown(folder, path))
  refuseSameNames(files)
  const done: Imported[] = []
  for (const file of files) done.push(await importFile(api, file, namespace))
  return done
}

const listEntries = async (api: Api): Promise<Knowledge[]> => {
  const entries: Knowledge[] = []
  for (let cursor = ''; ; ) {
    const page = await api.call('knowledge.list', { body: { limit: 100, ...(cursor ? { cursor } : {}) } })
    entries.push(...(page.items as Knowledge[]))
    if (!page.has_next) return entries
    cursor = page.next_cursor
  }
}

/** On these systems `A.md` and `a.md` are one file. */
const foldsCase: ReadonlySet<NodeJS.Platform> = new Set(['darwin', 'win32'])

export const exportFolder = async (
  api: Api,
  folder: string,
  platform: NodeJS.Platform,
): Promise<{ path: string; ref: string }[]> => {
  const entries = await listEntries(api)
  const paths = entryPaths(
    entries.map(({ name, version }) => ({ name, path: version?.content.path ?? '' })),
    (path) => (foldsCase.has(platform) ? path.normalize('NFC').toLowerCase() : path),
  )
  const done: { path: string; ref: string }[] = []
  for (const [index, entry] of entries.entries()) {
    const path = paths[index] ?? `${entry.name}.md`
    const target = join(folder, path)
    await mkdir(dirname(target), { recursive: true })
    await writeFile(target, writeEntry(path, fieldsOf(entry), await contentOf(api, entry.id)))
    done.push({ path, ref: `${entry.namespace}/${entry.name}` })
  }
  return done
}
