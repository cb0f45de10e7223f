// Values from JSON schemas: valid, wrong in one place, and hostile. Seeded, so that a run can be repeated.

export type Random = {
  next(): number
  below(limit: number): number
  pick<T>(items: readonly T[]): T
  chance(share: number): boolean
}

/** mulberry32: small, fast and the same on every platform. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined && items.length === 0) throw new Error('No items to pick from')
      return item as (typeof items)[number]
    },
  }
}

export type Schema = {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  format?: string
  pattern?: string
  patternProperties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
}

const words = [
  'echo',
  'mill',
  'Ünïcode-Wörd',
  'a',
  'test-name',
  'hello world',
  '日本語',
  '🌊',
  'A_KEY',
  'x'.repeat(200),
  'me@example.com',
  'https://example.com/x',
]

export const hostileTexts = [
  '',
  '\u0000',
  'a\u0000b',
  '\ud800',
  "'; drop table users; --",
  '%00',
  '../../etc/passwd',
  '{{7*7}}',
  '<script>alert(1)</script>',
  'x'.repeat(5000),
  '-1',
  '1e999',
  'NaN',
  'null',
  '__proto__',
  'constructor',
  '\\',
  '%',
  '_',
  '\r\nSet-Cookie: a=b',
  '9999-99-99T99:99:99Z',
  '0001-01-01T00:00:00Z',
  'toString',
]

export const hostileValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  -1e308,
  2 ** 53,
  2 ** 31,
  -(2 ** 63),
  0.1,
  [],
  {},
  [[]],
  [null],
  { a: { b: { c: {} } } },
  JSON.parse('{"__proto__":{"x":1}}'),
  ...hostileTexts,
]

const fields = (count: number, field: (index: number) => unknown) => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, field(index)])),
})

/** Small enough to be accepted, but expensive to parse carelessly: half a megabyte at most. */
export const heavyValues: readonly (() => unknown)[] = [
  () => Array.from({ length: 50_000 }, (_, index) => index),
  () => Array.from({ length: 10_000 }, (_, index) => ({ id: index, name: 'x' })),
  () => Array.from({ length: 5_000 }, () => 'x'.repeat(50)),
  () => JSON.parse(`${'['.repeat(3_000)}${']'.repeat(3_000)}`),
  () => 'x'.repeat(400_000),
  () => '<link '.repeat(60_000),
  () => '{{a}}'.repeat(60_000),
  () => `${'('.repeat(2_000)}a${')'.repeat(2_000)}`,
  () => fields(1_400, () => ({ type: 'string', minLength: 1, format: 'email' })),
  () => fields(800, (index) => ({ type: 'string', pattern: `[a-z]{${900 + (index % 100)}}x${index}` })),
  () => ({ run: { name: 'run', input_schema: fields(1_400, () => ({ type: 'string' })) } }),
  () => Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index])),
]

const typeOf = (schema: Schema, random: Random): string =>
  Array.isArray(schema.type) ? random.pick(schema.type) : (schema.type ?? 'unknown')

export const validValue = (schema: Schema, random: Random, depth = 0): unknown => {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return random.pick(schema.enum)
  if (schema.anyOf) return validValue(random.pick(schema.anyOf), random, depth)
  switch (typeOf(schema, random)) {
    case 'string':
      return text(schema, random)
    case 'integer':
      return Math.floor(number(schema, random))
    case 'number':
      return number(schema, random)
    case 'boolean':
      return random.chance(0.5)
    case 'null':
      return null
    case 'array':
      return Array.from({ length: random.below(depth > 3 ? 1 : 3) }, () =>
        validValue(schema.items ?? {}, random, depth + 1),
      )
    case 'object':
      return object(schema, random, depth)
    default:
      return random.pick([
        random.pick(words),
        random.below(100),
        true,
        { [random.pick(words)]: random.below(9) },
        [1, 'two'],
      ])
  }
}

const text = (schema: Schema, random: Random): string => {
  if (schema.format === 'date-time') return new Date(1.7e12 + random.below(1e9) * 1000).toISOString()
  const value = random.pick(words)
  const padded = value.length < (schema.minLength ?? 0) ? value.padEnd(schema.minLength ?? 0, 'x') : value
  return padded.slice(0, schema.maxLength ?? padded.length)
}

const number = (schema: Schema, random: Random): number => {
  const least = schema.minimum ?? 0
  const most = schema.maximum ?? least + 1000
  return least + random.next() * (most - least)
}

const object = (schema: Schema, random: Random, depth: number): Record<string, unknown> => {
  const result: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    if (schema.required?.includes(name) || random.chance(depth === 0 ? 0.6 : 0.4))
      result[name] = validValue(property, random, depth + 1)
  const [free] = Object.values(schema.patternProperties ?? {})
  if (!schema.properties && depth < 4)
    for (let count = random.below(3); count > 0; count -= 1)
      result[random.pick(words)] = validValue(free ?? {}, random, depth + 1)
  return result
}

/** A valid value made wrong in one place: a member removed, replaced or added. */
export const nearValue = (schema: Schema, random: Random): unknown => {
  const value = validValue(schema, random)
  if (value === null || typeof value !== 'object') return random.pick(hostileValues)
  const target = randomContainer(value as Record<string, unknown>, random)
  const names = Object.keys(target)
  const name = names.length > 0 ? random.pick(names) : 'extra'
  if (random.chance(0.3)) delete target[name]
  else target[name] = random.pick(hostileValues)
  return value
}

const randomContainer = (value: Record<string, unknown>, random: Random): Record<string, unknown> => {
  const nested = Object.values(value).filter(
    (member): member is Record<string, unknown> => member !== null && typeof member === 'object',
  )
  return nested.length > 0 && random.chance(0.5) ? randomContainer(random.pick(nested), random) : value
}
