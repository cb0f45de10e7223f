// How large a value would be as JSON, counted no further than a limit: values may share parts of each other, so that a
// small graph of nodes can spell a text without end.

/** About the length of the JSON text; anything above `limit` only says that it is above. */
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
