// HTTP byte ranges (RFC 9110, section 14). Pure. A single range is honored; several ranges return the full content,
// which the standard permits and which bounds the work.

export type RangeChoice = { kind: 'full' } | { kind: 'part'; start: number; end: number } | { kind: 'unsatisfiable' }

const full: RangeChoice = { kind: 'full' }
const unsatisfiable: RangeChoice = { kind: 'unsatisfiable' }

/** `end` is inclusive. An invalid header is ignored, as the standard requires. */
export const chooseRange = (header: string | undefined, sizeBytes: number): RangeChoice => {
  // Players and curl add a range to every request, so an empty file must not cause an error.
  if (header === undefined || sizeBytes === 0) return full
  const set = /^bytes=(.*)$/i.exec(header.trim())?.[1]
  if (set === undefined) return full
  const specs = set.split(',').map((spec) => spec.trim())
  const wanted = specs.filter((spec) => spec !== '')
  const [only] = wanted
  if (only === undefined || wanted.length > 1) return full

  const match = /^(\d*)-(\d*)$/.exec(only)
  if (!match) return full
  const [, first = '', last = ''] = match
  if (first === '') return last === '' ? full : suffix(Number(last), sizeBytes)
  const start = Number(first)
  if (last !== '' && Number(last) < start) return full
  if (start >= sizeBytes) return unsatisfiable
  return { kind: 'part', start, end: last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) }
}

const suffix = (lengthBytes: number, sizeBytes: number): RangeChoice =>
  lengthBytes === 0 ? unsatisfiable : { kind: 'part', start: Math.max(0, sizeBytes - lengthBytes), end: sizeBytes - 1 }

/** Whether If-Range permits the range: only an identical strong validator does. */
export const rangeStillApplies = (
  ifRange: string | undefined,
  current: { etag: string; modifiedAt: Date },
): boolean => {
  if (ifRange === undefined) return true
  const condition = ifRange.trim()
  if (condition.startsWith('"')) return condition === current.etag
  return condition === current.modifiedAt.toUTCString()
}

export const contentRange = (start: number, end: number, sizeBytes: number): string =>
  `bytes ${start}-${end}/${sizeBytes}`

/** The Content-Range header of a 416. */
export const unsatisfiedContentRange = (sizeBytes: number): string => `bytes */${sizeBytes}`
