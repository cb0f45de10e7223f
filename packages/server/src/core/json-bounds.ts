// JSON that somebody else wrote is looked over as bytes before it is parsed: parsing what is nested without end, or has
// hundreds of thousands of names, would be the harm already, since nobody else is served meanwhile. Names that repeat, as in
// the rows of a table, are cheap; names that are all different are not, so those are counted apart.

export type JsonBounds = {
  depth: number
  /** Names that differ from each other. */
  names: number
  /** Names, objects and arrays. */
  parts: number
  /** What stands in lists and objects. */
  values: number
}

export const jsonBounds: JsonBounds = { depth: 64, names: 10_000, parts: 100_000, values: 500_000 }

const quote = 34
const backslash = 92
const comma = 44
const colon = 58
const openings = [123, 91] as const
const closings = [125, 93] as const

/** Hashes start anywhere, so that nobody can choose names that look alike. */
const seed = Math.floor(Math.random() * 0x7fffffff)

const hashOf = (bytes: Uint8Array, from: number, to: number): number => {
  let hash = seed
  for (let index = from; index < to; index += 1) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  return hash
}

/** Where the text that begins after `from` ends: at the next quotation mark that no backslash makes a part of it. */
const endOfText = (bytes: Uint8Array, from: number): number => {
  for (let end = bytes.indexOf(quote, from); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let before = end
    while (before > from && bytes[before - 1] === backslash) before -= 1
    if ((end - before) % 2 === 0) return end
  }
  return bytes.length
}

/** Which bound the text exceeds; null when it exceeds none. What is no JSON may be said to be either. */
export const exceededBound = (bytes: Uint8Array, bounds: JsonBounds = jsonBounds): keyof JsonBounds | null => {
  const names = new Set<number>()
  let [depth, parts, values, textFrom, textTo] = [0, 0, 0, 0, 0]
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] ?? 0
    if (byte === quote) {
      textFrom = index + 1
      textTo = endOfText(bytes, textFrom)
      index = textTo
    } else if (byte === comma) values += 1
    else if (byte === colon) {
      parts += 1
      names.add(hashOf(bytes, textFrom, textTo))
      if (names.size > bounds.names) return 'names'
    } else if (byte === openings[0] || byte === openings[1]) {
      depth += 1
      parts += 1
      if (depth > bounds.depth) return 'depth'
    } else if (byte === closings[0] || byte === closings[1]) depth -= 1
    if (parts > bounds.parts) return 'parts'
    if (values > bounds.values) return 'values'
  }
  return null
}

/** What is said of it, after `The body` or the like. */
export const excessOf = (bytes: Uint8Array, bounds: JsonBounds = jsonBounds): string | null => {
  const exceeded = exceededBound(bytes, bounds)
  if (exceeded === null) return null
  if (exceeded === 'depth') return 'is nested too deeply'
  const what = { names: 'different names', parts: 'names, objects and lists', values: 'values' }[exceeded]
  return `has more than ${bounds[exceeded]} ${what}; data of that size belongs in a file`
}
