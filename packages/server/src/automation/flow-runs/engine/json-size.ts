// The JSON size of a value, counted up to a limit: values may share parts, so a small graph of nodes can represent an
// exponentially large text.

/** The approximate length of the JSON text; any result above `limit` only means that it is above. */
export const jsonSize = (value: unknown, limit: number): number => {
  let size = 0
  const open: unknown[] = [value]
  while (open.length > 0 && size <= limit) {
    const item = open.pop()
    if (typeof item === 'string') size += item.length + 2
    else if (typeof item !== 'object' || item === null) size += 5
    else if (Array.isArray(item)) {
      size += item.length + 2
      if (size <= limit) for (const element of item) open.push(element)
    } else {
      const keys = Object.keys(item)
      size += 2 * keys.length + 2
      for (const key of keys) {
        size += key.length + 2
        open.push((item as Record<string, unknown>)[key])
      }
    }
  }
  return size
}
