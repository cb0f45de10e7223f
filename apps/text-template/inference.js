// Text template: {{path.to.value}}, {{#list}}…{{/list}} for lists and true values, {{^list}}…{{/list}} for empty and false
// ones, {{.}} for the current item. A template cannot run code.

export const RunInput = {
  type: 'object',
  properties: {
    template: { type: 'string', description: 'The text with {{placeholders}}' },
    values: { type: 'object', additionalProperties: true, description: 'The values of the placeholders' },
    escape: { type: 'string', enum: ['none', 'html', 'json', 'url'], default: 'none' },
    missing: { type: 'string', enum: ['empty', 'keep', 'error'], default: 'empty' },
  },
  required: ['template'],
}
export const RunOutput = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }

const tag = /\{\{([#^/]?)\s*([\w.$-]+|\.)\s*\}\}/g
const maxDepth = 50

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
      if (open.length > maxDepth) throw new Error(`Sections are nested deeper than ${maxDepth}`)
      const section = { kind: 'section', path, inverted: sign === '^', parts: [] }
      current.parts.push(section)
      open.push(section)
    }
  }
  if (open.length > 1) throw new Error(`The section ${open[open.length - 1].path} is not closed`)
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
    if (missing === 'error') throw new Error(`No value for ${path}`)
    return missing === 'keep' ? whole : ''
  }
  return quote(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

// The innermost scope that has the first name of the path provides the value. Inherited members are ignored.
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
