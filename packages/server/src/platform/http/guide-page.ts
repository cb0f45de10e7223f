// Renders docs/guides as pages. The guides are part of the program, so their HTML is not escaped.
import { readFile } from 'node:fs/promises'
import { page } from './html.ts'

export const guidesFolder = new URL('../../../../../docs/guides/', import.meta.url)

/** Links to other guides become page links; links to other files of the repository are removed. */
const hrefOf = (href: string): string | null => {
  if (/^https?:/.test(href)) return href
  const [, name] = /^([a-z-]+)\.md$/.exec(href) ?? []
  return name === undefined ? null : `/guides/${name}`
}

/** Null if the guide does not exist. */
export const guidePage = async (name: string): Promise<string | null> => {
  if (!/^([a-z-]+|README)$/.test(name)) return null
  const text = await readFile(new URL(`${name}.md`, guidesFolder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const { Marked } = await import('marked')
  const marked = new Marked({
    renderer: {
      link({ href, tokens }) {
        const target = hrefOf(href)
        const inner = this.parser.parseInline(tokens)
        return target === null ? inner : `<a href="${target}">${inner}</a>`
      },
    },
  })
  const title = /^# (.+)$/m.exec(text)?.[1] ?? 'Guide'
  return page(title, await marked.parse(text), { wide: true })
}
