// Converts a Markdown file to a knowledge entry and back. Fields are read from the front matter, the file name and the
// first words. The text is stored with its front matter, so that an export returns the same bytes. Pure.
import { knowledgeLifecycles, knowledgeTypes } from '@millrace/contract/knowledge'
import { slugOf } from '@millrace/contract/refs'
import { parse as parseYaml, stringify } from 'yaml'
import { firstCharacters } from '../files/utf8.ts'

export type EntryFields = {
  name: string
  title: string
  description: string
  type: (typeof knowledgeTypes)[number]
  lifecycle: (typeof knowledgeLifecycles)[number]
  tags: string[]
  scope: string[]
}

const frontMatter = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)/

const maxDescriptionLength = 200

const firstWords = (body: string): string => {
  const line = body
    .split(/\r?\n/)
    .map((one) => one.replace(/^[#>*\-\s]+/, '').trim())
    .find((one) => one !== '')
  return firstCharacters(line ?? '', maxDescriptionLength)
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : typeof value === 'string' ? [value] : []

const headOf = (yaml: string | undefined): Record<string, unknown> => {
  const head: unknown = yaml === undefined ? {} : parseYaml(yaml)
  return typeof head === 'object' && head !== null && !Array.isArray(head) ? (head as Record<string, unknown>) : {}
}

/** `path` is relative, with forward slashes. Throws the errors of the YAML parser. */
export const readEntry = (path: string, content: string): EntryFields => {
  const found = frontMatter.exec(content)
  const head = headOf(found?.[1])
  const body = found ? content.slice(found[0].length) : content
  const name = textOf(head.name) ?? slugOf(path.replace(/\.(md|markdown)$/i, ''))
  return {
    name,
    title: textOf(head.title) ?? '',
    description: textOf(head.description) ?? (firstWords(body) || name),
    type: knowledgeTypes.find((type) => type === head.type) ?? 'observation',
    lifecycle: knowledgeLifecycles.find((lifecycle) => lifecycle === head.lifecycle) ?? 'permanent',
    tags: listOf(head.tags),
    scope: listOf(head.scope),
  }
}

const isSame = (a: EntryFields, b: EntryFields): boolean => JSON.stringify(a) === JSON.stringify(b)

/** A file that imports as this entry. Front matter is added only if the text does not already give the fields. */
export const writeEntry = (path: string, fields: EntryFields, content: string): string => {
  try {
    if (isSame(readEntry(path, content), fields)) return content
  } catch {
    // Invalid front matter is treated as text; the fields are added before it.
  }
  const { tags, scope, title, ...head } = fields
  const more = { ...(title ? { title } : {}), ...(tags.length ? { tags } : {}), ...(scope.length ? { scope } : {}) }
  return `---\n${stringify({ ...head, ...more })}---\n${content.replace(frontMatter, '')}`
}
