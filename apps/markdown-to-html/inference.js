// Converts Markdown to HTML. The text is untrusted, so raw HTML is escaped, and links and images keep only safe URLs.

import { Marked } from 'marked'

export const RunInput = {
  type: 'object',
  properties: {
    markdown: { type: 'string' },
    line_breaks: { type: 'boolean', default: false, description: 'Keep single line breaks' },
    document: { type: 'boolean', default: false, description: 'Return a whole page instead of a fragment' },
    title: { type: 'string', description: 'Title of the page' },
  },
  required: ['markdown'],
}
export const RunOutput = {
  type: 'object',
  properties: {
    html: { type: 'string' },
    headings: {
      type: 'array',
      items: { type: 'object', properties: { level: { type: 'integer' }, text: { type: 'string' } } },
    },
  },
  required: ['html', 'headings'],
}

export class App {
  run({ markdown, line_breaks: breaks = false, document = false, title = '' }) {
    const headings = []
    const marked = new Marked({
      gfm: true,
      breaks,
      walkTokens: (token) => {
        if (token.type === 'heading') headings.push({ level: token.depth, text: token.text })
        if ((token.type === 'link' || token.type === 'image') && !isHarmless(token.href)) token.href = ''
      },
      renderer: { html: ({ text }) => escapeHtml(text) },
    })
    const html = marked.parse(markdown)
    return { html: document ? page(html, title || headings[0]?.text || '') : html, headings }
  }
}

// A relative URL is safe. An absolute one is safe if its scheme does not run code. Browsers ignore control characters in a
// scheme, so they are ignored here too.
function isHarmless(href) {
  const bare = [...href].filter((character) => character.charCodeAt(0) > 32).join('')
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(decodeEntities(bare))?.[1]
  return scheme === undefined || ['http', 'https', 'mailto', 'tel'].includes(scheme.toLowerCase())
}

const decodeEntities = (text) =>
  text
    .replace(/&colon;/gi, ':')
    .replace(/&#x([0-9a-f]+);?/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16) & 0xffff))
    .replace(/&#(\d+);?/g, (_, code) => String.fromCharCode(Number(code) & 0xffff))

const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

const page = (html, title) =>
  `<!doctype html>\n<html>\n<head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>\n<body>\n${html}</body>\n</html>\n`
