// Merges deltas as clients do: texts of a model response grow, tool calls merge by index, everything else is replaced.
// The engine uses it for functions that yield only deltas and return nothing, the server for tasks that are canceled
// while they stream. The value is changed in place, because copying it for each of a million deltas would block the
// process.

type Json = Record<string, unknown>

const maxCalls = 1000
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

const mergeCalls = (merged: unknown, deltas: unknown[]): Json[] => {
  const calls: Json[] = Array.isArray(merged) ? merged : []
  for (const delta of deltas) {
    if (!isObject(delta)) continue
    const { index, function: fn, ...rest } = delta
    const at = typeof index === 'number' ? index : calls.length
    // A huge index must not allocate a list of that length.
    if (!Number.isInteger(at) || at < 0 || at > maxCalls) continue
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
