// JavaScript numbers cannot represent integers beyond 2^53 exactly, or values above 1.8e308. Such numbers are rejected
// instead of being changed silently (decision 0130). Pure.

export type InexactNumber = {
  /** The path of the number, as in `input.rows.2.id`; empty for the root. */
  path: string
  /** The number as written. */
  written: string
}

/** A pattern that starts with a digit matches seven times as fast as one with alternatives. */
const quickPattern = /\d(?:\d{15}|[eE]\+?\d{3})/

/** Sixteen digits that do not start a text or a fraction, or an exponent of three digits; rare in JSON. */
const suspicious = /(?:^|[:,[\s])-?\d{16}|\d[eE]\+?\d{3}/

const numberAt = /-?\d+(\.\d+)?([eE][+-]?\d+)?/y

/** Fractions may be rounded; an integer is exact if it converts back to the same digits or the same value. */
const isPreserved = (written: string, isWhole: boolean): boolean => {
  const value = Number(written)
  if (!Number.isFinite(value)) return false
  return !isWhole || String(value) === written || BigInt(value) === BigInt(written)
}

/** The end of the text that begins at `start`: after the next unescaped quotation mark. */
const endOfText = (json: string, start: number): number => {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end
    while (json[before - 1] === '\\') before -= 1
    if ((end - before) % 2 === 0) return end + 1
  }
  return json.length
}

const startsNumber = (sign: string): boolean => sign === '-' || (sign >= '0' && sign <= '9')

/** The first number of a valid JSON text that would be changed by parsing. */
export const findInexactNumber = (json: string): InexactNumber | null => {
  if (!quickPattern.test(json) || !suspicious.test(json)) return null
  const path: (string | number)[] = []
  let text = ''
  for (let at = 0; at < json.length; ) {
    const sign = json[at] ?? ''
    if (sign === '"') {
      const end = endOfText(json, at)
      text = json.slice(at, end)
      at = end
    } else if (startsNumber(sign)) {
      numberAt.lastIndex = at
      const [written = '', fraction, exponent] = numberAt.exec(json) ?? []
      if (!isPreserved(written, fraction === undefined && exponent === undefined))
        return { path: path.join('.'), written }
      at += written.length
    } else {
      step(path, sign, text)
      at += 1
    }
  }
  return null
}

/** Updates the path for a sign between values; `text` is the last text before it, which may be a name. */
const step = (path: (string | number)[], sign: string, text: string): void => {
  const last = path.length - 1
  const place = path[last]
  if (sign === '[') path.push(0)
  else if (sign === '{') path.push('')
  else if (sign === ':') path[last] = String(JSON.parse(text))
  else if (sign === ']' || sign === '}') path.pop()
  else if (sign === ',' && typeof place === 'number') path[last] = place + 1
}

/** The error message. */
export const inexactInWords = ({ path, written }: InexactNumber): string => {
  const shown = written.length > 40 ? `${written.slice(0, 40)}…` : written
  return `${path === '' ? 'The number' : path} cannot be represented exactly as ${shown}; send it as text`
}
