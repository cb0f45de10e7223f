// Checks JSON from outside as bytes, before it is parsed: parsing deeply nested JSON, or hundreds of thousands of names,
// blocks the event loop. Repeated names, as in rows of a table, are cheap; distinct names are not, so they are counted
// separately.

export type JsonBounds = {
  depth: number
  /** Distinct names. */
  names: number
  /** Names, objects and arrays. */
  parts: number
  /** Elements of arrays and members of objects. */
  values: number
}

export const jsonBounds: JsonBounds = { depth: 64, names: 10_000, parts: 100_000, values: 500_000 }

const quote = 34
const backslash = 92
const comma = 44
const colon = 58
const openings = [123, 91] as const
const closings = [125, 93] as const

/** A random seed keeps callers from choosing names that collide. */
const seed = Math.floor(Math.random() * 0x7fffffff)

const hashOf = (bytes: Uint8Array, from: number, to: number): number => {
  let hash = seed
  for (let index = from; index < to; index += 1) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193)
  return hash
}

/** The index of the quotation mark that ends the text which begins at `from`. */
const endOfText = (bytes: Uint8Array, from: number): number => {
  for (let end = bytes.indexOf(quote, from); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let before = end
    while (before > from && bytes[before - 1] === backslash) before -= 1
    if ((end - before) % 2 === 0) return end
  }
  return bytes.length
}

/** The first bound that the text exceeds, or null. For invalid JSON either answer is possible. */
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

/** The rest of a sentence that begins with `The body` or similar. */
export const excessOf = (bytes: Uint8Array, bounds: JsonBounds = jsonBounds): string | null => {
  const exceeded = exceededBound(bytes, bounds)
  if (exceeded === null) return null
  if (exceeded === 'depth') return 'is nested too deeply'
  const what = { names: 'different names', parts: 'names, objects and lists', values: 'values' }[exceeded]
  return `has more than ${bounds[exceeded]} ${what}; store data of that size in a file`
}
