// Adds up deltas the way clients do: texts of a model answer grow, tool calls merge by index, everything else
// replaces. Used when a function yields nothing but deltas and returns nothing: the sum is then its output. The sum grows in
// place: a copy for each of a million deltas would keep the engine from everything else.

type Json = Record<string, unknown>

const mostCalls = 1000
const growing = new Set(['response', 'reasoning'])

export const mergeDelta = (sum: Json, delta: unknown): Json => {
  if (!isObject(delta)) return sum
  for (const [key, value] of Object.entries(delta)) {
    if (value === null || value === undefined) continue
    if (growing.has(key)) sum[key] = text(sum[key]) + text(value)
    else if (key === 'tool_calls' && Array.isArray(value)) sum[key] = mergeCalls(sum[key], value)
    else sum[key] = value
  }
  return sum
}

const mergeCalls = (held: unknown, deltas: unknown[]): Json[] => {
  const calls: Json[] = Array.isArray(held) ? held : []
  for (const delta of deltas) {
    if (!isObject(delta)) continue
    const { index, function: fn, ...rest } = delta
    const at = typeof index === 'number' ? index : calls.length
    // An index out of any reason must not make us build a list of that length.
    if (!Number.isInteger(at) || at < 0 || at > mostCalls) continue
    while (calls.length <= at) calls.push({})
    const call = calls[at] ?? {}
    const known = isObject(call.function) ? call.function : {}
    const added = isObject(fn) ? fn : {}
    calls[at] = Object.assign(call, rest, { function: mergeFunction(known, added) })
  }
  return calls
}

const mergeFunction = (known: Json, added: Json): Json =>
  Object.assign(
    known,
    added,
    added.arguments !== undefined && { arguments: text(known.arguments) + text(added.arguments) },
  )

const text = (value: unknown): string => {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
