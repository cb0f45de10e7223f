// The parts of an output that have a better display than JSON. Pure.
import { isMediaAddress, nameInAddress } from '../files/stored-file.ts'

export type Media = {
  kind: 'image' | 'audio' | 'video' | 'pdf' | 'file'
  uri: string
  name: string
  /** Dotted path in the output; empty if the output is the file. */
  field: string
}

const endings: readonly [Media['kind'], RegExp][] = [
  ['image', /\.(png|jpe?g|gif|webp|avif|svg)$/i],
  ['audio', /\.(mp3|wav|ogg|flac|m4a|opus)$/i],
  ['video', /\.(mp4|webm|mov|mkv)$/i],
  ['pdf', /\.pdf$/i],
]

const maxMedia = 24
/** Texts of at least this length are shown as documents. */
const proseFrom = 40

/** Only addresses of stored files are loaded, so that viewing a run requests no other address. */
const isStored = (text: string): boolean =>
  (text.startsWith('/media/') || /^https?:/.test(text)) && isMediaAddress(text, 'http://relative.invalid')

const kindOf = (name: string): Media['kind'] => endings.find(([, ending]) => ending.test(name))?.[0] ?? 'file'

/** A file is its address, or an object with the address and the name. */
const mediaAt = (value: unknown, field: string, filename: string | undefined, depth: number): Media[] => {
  if (typeof value === 'string') {
    if (!isStored(value)) return []
    const name = filename ?? nameInAddress(value)
    return [{ kind: kindOf(name), uri: value, name, field }]
  }
  if (typeof value !== 'object' || value === null || depth > 6) return []
  const { filename: named } = value as { filename?: unknown }
  const ownName = typeof named === 'string' && named !== '' ? named : undefined
  return Object.entries(value).flatMap(([key, item]) => {
    const path = field === '' ? key : `${field}.${key}`
    return mediaAt(item, ownName !== undefined && key === 'uri' ? field : path, ownName, depth + 1)
  })
}

export const mediaIn = (value: unknown): Media[] => mediaAt(value, '', undefined, 0).slice(0, maxMedia)

const isRow = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const maxColumns = 12

/** A list of objects with the same few fields is a table. */
const asTable = (value: unknown): { columns: string[]; rows: Record<string, unknown>[] } | null => {
  const rows = Array.isArray(value) ? value : null
  if (!rows || rows.length === 0 || !rows.every(isRow)) return null
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  return columns.length <= maxColumns ? { columns, rows: rows.slice(0, 200) } : null
}

/** The tables in an output: the output itself, or fields that are lists of rows. */
export const tablesIn = (value: unknown): { name: string; columns: string[]; rows: Record<string, unknown>[] }[] => {
  const whole = asTable(value)
  if (whole) return [{ name: '', ...whole }]
  if (!isRow(value)) return []
  return Object.entries(value).flatMap(([name, field]) => {
    const table = asTable(field)
    return table ? [{ name, ...table }] : []
  })
}

/** Fields with short values: numbers, flags, short texts. */
export const factsIn = (value: unknown): [string, string][] =>
  isRow(value)
    ? Object.entries(value).flatMap(([name, field]): [string, string][] =>
        ['string', 'number', 'boolean'].includes(typeof field) &&
        !isStored(String(field)) &&
        String(field).length < proseFrom
          ? [[name, String(field)]]
          : [],
      )
    : []

const proseNames = /^(response|text|markdown|answer|summary|content|message)$/

/** Fields with texts for people, such as the answer of a model. */
export const proseIn = (value: unknown): { name: string; text: string }[] => {
  if (typeof value === 'string')
    return value.length >= proseFrom && !isStored(value) ? [{ name: 'output', text: value }] : []
  if (!isRow(value)) return []
  return Object.entries(value).flatMap(([name, text]) =>
    proseNames.test(name) && typeof text === 'string' && text.length >= proseFrom ? [{ name, text }] : [],
  )
}
