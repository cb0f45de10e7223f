// The API reference at /docs, rendered from the same document that /openapi.json serves.
import { escapeHtml, page } from './html.ts'
import type { openApiDocument } from './openapi.ts'

type Document = ReturnType<typeof openApiDocument>

type Item = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: { content: Record<string, { schema: unknown }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: unknown }> }>
}

const schemaBlock = (title: string, schema: unknown): string =>
  `<p class="muted">${title}</p><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`

const operationBlock = (method: string, path: string, item: Item): string => {
  const parameters = item.parameters
    .map(
      ({ name, in: where, required }) =>
        `<tr><td><code>${escapeHtml(name)}</code></td><td>${where}</td><td>${required ? 'required' : ''}</td></tr>`,
    )
    .join('')
  const answers = Object.entries(item.responses)
    .map(
      ([status, { description }]) =>
        `<tr><td>${status}</td><td>${escapeHtml(description).replace(/`([^`]+)`/g, '<code>$1</code>')}</td></tr>`,
    )
    .join('')
  const body = Object.values(item.requestBody?.content ?? {}).map(({ schema }) => schemaBlock('Request body', schema))
  const reply = Object.values(item.responses[200]?.content ?? {}).map(({ schema }) => schemaBlock('Answer', schema))
  return `<details id="${escapeHtml(item.operationId)}"><summary><code><b>${method.toUpperCase()}</b> ${escapeHtml(path)}</code> <span class="muted">${escapeHtml(item.summary)}</span></summary>
<p>${escapeHtml(item.description).replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
${parameters === '' ? '' : `<table><tbody>${parameters}</tbody></table>`}${body.join('')}${reply.join('')}<table><tbody>${answers}</tbody></table></details>`
}

export const referencePage = (document: Document): string => {
  const sections = document.tags.map(({ name }) => {
    const blocks = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, Item>)
        .filter(([, item]) => item.tags[0] === name)
        .map(([method, item]) => operationBlock(method, path, item)),
    )
    return `<h2 id="tag-${escapeHtml(name)}">${escapeHtml(name)}</h2>${blocks.join('')}`
  })
  const contents = document.tags
    .map(({ name }) => `<a href="#tag-${escapeHtml(name)}">${escapeHtml(name)}</a>`)
    .join(' · ')
  return page(
    'API reference',
    `<h1>Millrace API</h1><p>${escapeHtml(document.info.description)} Version ${escapeHtml(document.info.version)}.
     Send <code>Authorization: Bearer &lt;key or session token&gt;</code>. Machine-readable: <a href="/openapi.json">openapi.json</a>.</p>
     <p>${contents}</p>${sections.join('')}`,
    { wide: true },
  )
}
