// The bundled guides, as pages in the index. Every start updates them from the files.
import { readdir, readFile } from 'node:fs/promises'
import { newId } from '@millrace/contract/ids'
import type { Platform } from '#platform/core/ctx.ts'
import { guidesFolder } from '#platform/http/guide-page.ts'
import { type GuidePage, savePages } from './pages-store.ts'
import { clipped } from './suggestions/clipped.ts'

/** The first paragraph that is not a title, table or code. */
const introduction = (text: string): string => text.split(/\n\s*\n/).find((block) => /^[^\s#|`>-]/.test(block)) ?? ''

const plain = (markdown: string): string => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')

const pageOf = (name: string, text: string): GuidePage => ({
  id: newId(),
  namespace: 'guides',
  name,
  title: /^# (.+)$/m.exec(text)?.[1] ?? name,
  description: clipped(plain(introduction(text))),
  body: plain(text),
})

/** Omits the list of guides. An installation without guides has no pages. */
const readGuides = async (): Promise<GuidePage[]> => {
  const files = await readdir(guidesFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const names = files.flatMap((file) => /^([a-z-]+)\.md$/.exec(file)?.[1] ?? []).sort()
  return Promise.all(
    names.map(async (name) => pageOf(name, await readFile(new URL(`${name}.md`, guidesFolder), 'utf8'))),
  )
}

export const seedPages = async ({ db, settings, now }: Platform): Promise<void> =>
  savePages(db, await readGuides(), { published: settings.DOCS === 'public', now: now().toISOString() })
