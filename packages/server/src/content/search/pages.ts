// The guides that come along, as pages that can be found. They follow the files with every start.
import { readdir, readFile } from 'node:fs/promises'
import { newId } from '@millrace/contract/ids'
import type { Platform } from '#platform/core/ctx.ts'
import { guidesFolder } from '#platform/http/guide-page.ts'
import { clipped } from './clipped.ts'
import { type Page, savePages } from './pages-store.ts'

/** What comes first and is no title, table or code says what a guide is about. */
const introduction = (text: string): string => text.split(/\n\s*\n/).find((block) => /^[^\s#|`>-]/.test(block)) ?? ''

const plain = (markdown: string): string => markdown.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '')

const pageOf = (name: string, text: string): Page => ({
  id: newId(),
  namespace: 'guides',
  name,
  title: /^# (.+)$/m.exec(text)?.[1] ?? name,
  description: clipped(plain(introduction(text))),
  body: plain(text),
})

/** The list of guides is no guide. A program that was installed without them has no pages. */
const readGuides = async (): Promise<Page[]> => {
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
