// Text template: {{path.to.value}}, {{#list}}…{{/list}} for lists and truths, {{^list}}…{{/list}} for their absence,
// {{.}} for the current item. No code runs in a template.

export const RunInput = {
  type: 'object',
  properties: {
    template: { type: 'string', description: 'The text with {{placeholders}}' },
    values: { type: 'object', additionalProperties: true, description: 'What to put in their place' },
    escape: { type: 'string', enum: ['none', 'html', 'json', 'url'], default: 'none' },
    missing: { type: 'string', enum: ['empty', 'keep', 'error'], default: 'empty' },
  },
  required: ['template'],
}
export const RunOutput = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

const tag = /\{\{([#^/]?)\s*([\w.$-]+|\.)\s*\}\}/g
const deepest = 50

export class App {
  run({ template, values = {}, escape: way = 'none', missing = 'empty' }) {
    return { text: render(parse(template), [values], { quote: escapes[way] ?? escapes.none, missing }) }
  }
}

const escapes = {
  none: (text) => text,
  html: (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
  json: (text) => JSON.stringify(text).slice(1, -1),
  url: (text) => encodeURIComponent(text),
}

function parse(template) {
  const root = { kind: 'section', parts: [] }
  const open = [root]
  let at = 0
  for (const match of template.matchAll(tag)) {
    const [whole, sign, path] = match
    const current = open[open.length - 1]
    current.parts.push({ kind: 'text', text: template.slice(at, match.index) })
    at = match.index + whole.length
    if (sign === '') current.parts.push({ kind: 'value', path, whole })
    else if (sign === '/') close(open, path)
    else {
      if (open.length > deepest) throw new Error(`sections are nested deeper than ${deepest}`)
      const section = { kind: 'section', path, inverted: sign === '^', parts: [] }
      current.parts.push(section)
      open.push(section)
    }
  }
  if (open.length > 1) throw new Error(`the section ${open[open.length - 1].path} is never closed`)
  root.parts.push({ kind: 'text', text: template.slice(at) })
  return root
}

function close(open, path) {
  const section = open.pop()
  if (section?.path !== path) throw new Error(`{{/${path}}} closes a section that is not open`)
}

function render(section, scopes, options) {
  return section.parts.map((part) => renderPart(part, scopes, options)).join('')
}

function renderPart(part, scopes, options) {
  if (part.kind === 'text') return part.text
  const value = find(part.path, scopes)
  if (part.kind === 'value') return renderValue(part, value, options)
  const items = Array.isArray(value)
    ? value
    : value === undefined || value === null || value === false || value === ''
      ? []
      : [value]
  if (part.inverted) return items.length === 0 ? render(part, scopes, options) : ''
  return items.map((item) => render(part, [...scopes, item], options)).join('')
}

function renderValue({ path, whole }, value, { quote, missing }) {
  if (value === undefined || value === null) {
    if (missing === 'error') throw new Error(`there is no value for ${path}`)
    return missing === 'keep' ? whole : ''
  }
  return quote(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

// The innermost scope that knows the first step of the path answers; only own members count.
function find(path, scopes) {
  if (path === '.') return scopes[scopes.length - 1]
  const [first, ...rest] = path.split('.')
  const scope = scopes.findLast((candidate) => isObject(candidate) && Object.hasOwn(candidate, first))
  return rest.reduce(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    scope?.[first],
  )
}

const isObject = (value) => typeof value === 'object' && value !== null
