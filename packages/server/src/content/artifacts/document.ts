// Renders an artifact as a document. Its headers allow scripts in an origin of their own, without cookies, network
// requests or access to other windows. Pure.
import { escapeHtml } from '#platform/http/html.ts'

export const renderHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, no-cache',
} as const

export const sourceHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'private, max-age=21600, immutable',
} as const

export type Theme = 'light' | 'dark'

/** Longer texts are shown as source. */
export const maxMarkdownLength = 256 * 1024

const style = `:root{color-scheme:light dark}body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1.25rem}
pre{overflow:auto;padding:.75rem;background:#8882;border-radius:.5rem;white-space:pre-wrap}img{max-width:100%}
table{border-collapse:collapse}td,th{border:1px solid #8886;padding:.3rem .6rem}`

const schemeOf = (theme: Theme | undefined): string =>
  theme === undefined ? '' : `<meta name="color-scheme" content="${theme}"><style>:root{color-scheme:${theme}}</style>`

/** `set` is the rendered HTML of the text; null shows the source. */
export const fromMarkdown = (title: string, source: string, set: string | null, theme: Theme | undefined): string => {
  const body = set ?? `<pre>${escapeHtml(source)}</pre>`
  return `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${style}</style>${schemeOf(theme)}</head><body>${body}</body></html>`
}

/** Only the theme is added to a page, and only if it has a head. */
export const fromHtml = (source: string, theme: Theme | undefined): string =>
  theme === undefined ? source : source.replace(/<head(\s[^<>]{0,500})?>/i, (head) => `${head}${schemeOf(theme)}`)
