// The API reference at /docs, rendered from the OpenAPI document. The page has no scripts: the search is a form.
import { escapeHtml, page } from './html.ts'
import type { openApiDocument } from './openapi.ts'
import { snippetsOf } from './snippets.ts'

type Document = ReturnType<typeof openApiDocument>

type Content = Record<string, { schema: Schema; example?: unknown }>
type Schema = { readonly [key: string]: unknown }
type Item = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  security?: unknown[]
  parameters: { name: string; in: string; required: boolean; example?: string }[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

const withCode = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

/** A schema as text, with its references as links. */
const schemaText = (schema: unknown): string =>
  escapeHtml(JSON.stringify(schema, null, 2)).replace(
    /#\/components\/schemas\/(\w+)/g,
    '<a href="/docs#schema-$1">$1</a>',
  )

/** Events are shown in their wire format. */
const exampleText = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example, null, 2)

const block = (title: string, html: string): string => `<p class="muted">${title}</p><pre>${html}</pre>`

const parametersTable = (item: Item): string => {
  const rows = item.parameters.map(
    ({ name, in: where, required }) =>
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${where}</td><td>${required ? 'required' : ''}</td></tr>`,
  )
  return rows.length === 0 ? '' : `<table><tbody>${rows.join('')}</tbody></table>`
}

const urlOf = (base: string, path: string, { parameters }: Item): string => {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const { example } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {}
    return example === undefined ? whole : encodeURIComponent(example)
  })
  const query = new URLSearchParams(
    parameters.flatMap(({ name, in: where, example }): [string, string][] =>
      where === 'query' && example !== undefined ? [[name, example]] : [],
    ),
  )
  return `${base}${filled}${query.size === 0 ? '' : `?${query}`}`
}

const successOf = ({ responses }: Item) => (responses[200] ?? responses[201])?.content ?? {}

const snippetBlocks = (base: string, method: string, path: string, item: Item): string => {
  const [body] = Object.values(item.requestBody?.content ?? {})
  const [reply] = Object.values(successOf(item))
  const call = {
    method: method.toUpperCase(),
    url: urlOf(base, path, item),
    body: body?.example ?? (body && ['post', 'put', 'patch'].includes(method) ? {} : undefined),
    open: item.security?.length === 0,
    bare: !JSON.stringify(reply?.schema ?? {}).includes('"success"'),
    stream: 'text/event-stream' in successOf(item),
  }
  return snippetsOf(call)
    .map(
      ({ language, text }) =>
        `<details class="snippet"><summary>${language}</summary><pre>${escapeHtml(text)}</pre></details>`,
    )
    .join('')
}

const operationBlock = (base: string, method: string, path: string, item: Item): string => {
  const answers = Object.entries(item.responses)
    .map(([status, { description }]) => `<tr><td>${status}</td><td>${withCode(description)}</td></tr>`)
    .join('')
  const bodies = Object.values(item.requestBody?.content ?? {})
  const replies = Object.values(successOf(item))
  const shown = [
    ...bodies.map(({ schema }) => block('Request body', schemaText(schema))),
    ...replies.map(({ schema }) => block('Response', schemaText(schema))),
    ...replies
      .filter(({ example }) => example !== undefined)
      .map(({ example }) => block('Example response', escapeHtml(exampleText(example)))),
  ]
  return `<details id="${escapeHtml(item.operationId)}"><summary><code><b>${method.toUpperCase()}</b> ${escapeHtml(path)}</code> <span class="muted">${escapeHtml(item.summary)}</span></summary>
<p>${withCode(item.description)}</p>${parametersTable(item)}${snippetBlocks(base, method, path, item)}${shown.join('')}<table><tbody>${answers}</tbody></table></details>`
}

type Entry = { readonly tag: string; readonly words: string; readonly html: string }

const entriesOf = (document: Document): Entry[] => {
  const base = document.servers[0]?.url ?? ''
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Item>).map(([method, item]) => ({
      tag: item.tags[0] ?? '',
      words: `${item.operationId} ${method} ${path} ${item.summary}`.toLowerCase(),
      html: operationBlock(base, method, path, item),
    })),
  )
}

const sectionsOf = (document: Document, entries: readonly Entry[]): string =>
  document.tags
    .map(({ name, description }) => {
      const own = entries.filter(({ tag }) => tag === name).map(({ html }) => html)
      if (own.length === 0) return ''
      return `<h2 id="tag-${escapeHtml(name)}">${escapeHtml(name)}</h2><p class="muted">${escapeHtml(description)}</p>${own.join('')}`
    })
    .join('')

const schemaList = ({ components }: Document): string =>
  Object.entries(components.schemas)
    .map(
      ([name, schema]) =>
        `<details id="schema-${name}"><summary><code>${name}</code></summary><pre>${schemaText(schema)}</pre></details>`,
    )
    .join('')

const maxQueryLength = 100

/** The page with the search result; without a query, all operations. */
export const createReference = (document: Document): ((query: string) => string) => {
  const entries = entriesOf(document)
  const schemas = `<h2 id="schemas">Schemas</h2>${schemaList(document)}`
  const contents = document.tags
    .map(({ name }) => `<a href="/docs#tag-${escapeHtml(name)}">${escapeHtml(name)}</a>`)
    .join(' · ')
  return (query) => {
    const words = query.slice(0, maxQueryLength).toLowerCase().split(/\s+/).filter(Boolean)
    const found = entries.filter((entry) => words.every((word) => entry.words.includes(word)))
    const result =
      words.length === 0
        ? `<p>${contents} · <a href="/docs#schemas">Schemas</a></p>${sectionsOf(document, found)}${schemas}`
        : `<p>${found.length} of ${entries.length} operations. <a href="/docs">Show all</a></p>${sectionsOf(document, found)}`
    return page(
      'API reference',
      `<h1>Millrace API</h1><p>${withCode(document.info.description)} Version ${escapeHtml(document.info.version)}.
     Send <code>Authorization: Bearer &lt;key or session token&gt;</code>. Machine-readable: <a href="/openapi.json">openapi.json</a>.
     New here? <a href="/guides">The guides</a>.</p>
     <form action="/docs" role="search"><label for="q">Search</label><input id="q" name="q" type="search" maxlength="${maxQueryLength}" value="${escapeHtml(query)}" placeholder="run, webhook, POST /files …"></form>
     ${result}`,
      { wide: true },
    )
  }
}
