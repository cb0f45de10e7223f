// The approximate size of a JSON value. Pure.

/** Iterative, because values may be nested deeper than the call stack allows. */
export const valueBytes = (value: unknown): number => {
  const pending: unknown[] = [value]
  let bytes = 0
  while (pending.length > 0) {
    const part = pending.pop()
    if (part instanceof Uint8Array) bytes += part.byteLength
    else if (typeof part === 'string') bytes += Buffer.byteLength(part)
    else if (Array.isArray(part)) for (const item of part) pending.push(item)
    else if (part !== null && typeof part === 'object')
      for (const [name, item] of Object.entries(part)) {
        bytes += Buffer.byteLength(name)
        pending.push(item)
      }
    bytes += 4
  }
  return bytes
}
