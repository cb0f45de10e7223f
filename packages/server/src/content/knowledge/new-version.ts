// Writes a version from its own fields and those of the previous version.
import { newId } from '@millrace/contract/ids'
import type { mutationTypes, SkillOnly } from '@millrace/contract/knowledge'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { contentHash, sha256Hex } from './content-hash.ts'
import { filesOf, type StoredFile } from './dto.ts'
import { pathProblem, scopeTagProblem } from './names.ts'
import { saveReferences } from './references.ts'
import * as store from './versions-store.ts'

type NewText = { path: string; content: string }
type SentFile = { path: string; content?: string; hash?: string }

export type VersionInput = {
  content?: { path?: string; content?: string }
  files?: SentFile[]
  description?: string
  tags?: string[]
  scope?: string[]
  metadata?: Record<string, string>
  origin?: string
  generated_by?: string
  source_url?: string
  mutation_type?: (typeof mutationTypes)[number]
  version_notes?: string
  skill?: SkillOnly
}

const storedFile = ({ path, content }: NewText): StoredFile => ({
  path,
  size: Buffer.byteLength(content),
  hash: sha256Hex(content),
})

/** A file that is sent without its text, but with its hash, keeps the text of the previous version. */
const fileOf = ({ path, content, hash }: SentFile, before: readonly StoredFile[]): StoredFile => {
  if (content !== undefined) return storedFile({ path, content })
  const sourceFile = before.find((file) => (hash ? file.hash === hash : file.path === path))
  if (!sourceFile) throw fail('invalid_request', `files: "${path.slice(0, 80)}" needs its content`)
  return { ...sourceFile, path }
}

/** The files of the version, main content first, and those texts that may be new. */
const planFiles = (input: VersionInput, previous: store.VersionRow | undefined) => {
  const before = previous ? filesOf(previous) : []
  const [oldMain, ...oldRest] = before
  const path = input.content?.path ?? oldMain?.path
  const text = input.content?.content
  if (path === undefined || (text === undefined && !oldMain))
    throw fail('invalid_request', 'version.content is required')
  const main = text === undefined && oldMain ? { ...oldMain, path } : storedFile({ path, content: text ?? '' })
  const rest = input.files ? input.files.map((file) => fileOf(file, before)) : oldRest
  const paths = [main, ...rest].map((file) => file.path)
  const problem = paths.map(pathProblem).find((found) => found !== null)
  if (problem) throw fail('validation_error', problem)
  const twice = paths.find((path, index) => paths.indexOf(path) !== index)
  if (twice !== undefined) throw fail('validation_error', `files: duplicate path "${twice.slice(0, 80)}"`)
  const texts = [text, ...(input.files ?? []).map((file) => file.content)].filter((sent) => sent !== undefined)
  return { main, rest, texts: texts.map((content) => ({ hash: sha256Hex(content), content })) }
}

const checkedScope = (tags: readonly string[]): string[] => {
  const problem = tags.map(scopeTagProblem).find((found) => found !== null)
  if (problem) throw fail('validation_error', problem)
  return [...new Set(tags)]
}

export type WrittenVersion = {
  id: string
  content_hash: string
  /** Call it after the row of the entry points to this version. */
  link: (ctx: Ctx) => Promise<void>
}

export const writeVersion = async (
  ctx: Ctx,
  entry: { id: string; description: string },
  input: VersionInput,
  previous?: store.VersionRow,
): Promise<WrittenVersion> => {
  const { main, rest, texts } = planFiles(input, previous)
  const scope = input.scope ? checkedScope(input.scope) : (previous?.scope ?? [])
  const id = newId()
  const hash = contentHash(main, rest)
  const now = ctx.now().toISOString()
  await store.insertContents(ctx.db, entry.id, texts)
  await store.insertVersion(ctx.db, {
    id,
    knowledge_id: entry.id,
    files: JSON.stringify([main, ...rest]),
    content_hash: hash,
    description: input.description ?? entry.description,
    tags: input.tags ? [...new Set(input.tags)] : (previous?.tags ?? []),
    scope,
    metadata: JSON.stringify(input.metadata ?? previous?.metadata ?? {}),
    origin: input.origin ?? previous?.origin ?? '',
    generated_by: input.generated_by ?? '',
    source_url: input.source_url ?? previous?.source_url ?? '',
    mutation_type: input.mutation_type ?? (previous ? 'update' : 'create'),
    version_notes: input.version_notes ?? '',
    skill: JSON.stringify({ ...(previous?.skill as SkillOnly | undefined), ...input.skill }),
    last_confirmed_at: now,
    created_by: ctx.actor.userId,
    created_at: now,
  })
  return { id, content_hash: hash, link: (ctx) => linkMarkdown(ctx, entry.id, main, rest) }
}

/** The main content counts as markdown whatever its name; other files only by their extension. */
const linkMarkdown = async (
  ctx: Ctx,
  entryId: string,
  main: StoredFile,
  rest: readonly StoredFile[],
): Promise<void> => {
  const files = [main, ...rest.filter((file) => /\.(md|markdown)$/i.test(file.path))]
  const contents = await store.findContents(
    ctx.db,
    entryId,
    files.map((file) => file.hash),
  )
  await saveReferences(ctx, entryId, [...contents.values()])
}
