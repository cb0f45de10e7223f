// The `format` keyword. The rules of ajv-formats, except those whose cost or stack use grows faster than the text.
import { fullFormats } from 'ajv-formats/dist/formats.js'

type FormatRule = { validate: unknown; type?: string }

const isRule = (format: unknown): format is FormatRule =>
  typeof format === 'object' && format !== null && 'validate' in format

/** An unknown format, or a format for another type of value, accepts everything. */
export const fitsFormat = (name: unknown, value: string | number): boolean => {
  const format: unknown = typeof name === 'string' ? ruleOf(name) : null
  const { validate, type = 'string' } = isRule(format) ? format : { validate: format }
  if (typeof value !== type) return true
  if (validate instanceof RegExp) return validate.test(String(value))
  return typeof validate === 'function' ? Boolean(validate(value)) : true
}

const ruleOf = (name: string): unknown => {
  if (Object.hasOwn(linearFormats, name)) return linearFormats[name]
  return Object.hasOwn(fullFormats, name) ? fullFormats[name as never] : null
}

const urlStart = /^(?:https?|ftp):\/\//iu
/** The pattern of ajv-formats for a URL without its start and user information. */
const hostAndPath = new RegExp(
  (fullFormats.url as RegExp).source.replace('^(?:https?|ftp):\\/\\/(?:\\S+(?::\\S*)?@)?', '^'),
  'iu',
)

/** ajv-formats tries each `@` of the text as the end of the user information, which takes quadratic time. */
const isUrl = (text: string): boolean => {
  const start = urlStart.exec(text)
  if (!start) return false
  const rest = text.slice(start[0].length)
  const slash = rest.indexOf('/')
  const authority = slash < 0 ? rest : rest.slice(0, slash)
  const user = authority.lastIndexOf('@')
  return user !== 0 && !/\s/u.test(rest.slice(0, user + 1)) && hostAndPath.test(rest.slice(user + 1))
}

/** The pattern of ajv-formats overflows the stack of the engine on texts of some megabytes. */
const isBase64 = (text: string): boolean => {
  const letters = text.replace(/[\r\n]/g, '')
  return letters.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(letters)
}

const linearFormats: Readonly<Record<string, (text: string) => boolean>> = { url: isUrl, byte: isBase64 }
