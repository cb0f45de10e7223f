// Parses typed JSON: its value, or the error. Pure.
import { uiStrings } from './strings.ts'

export type JsonKind = 'any' | 'object'
export type ParsedJson = { value: unknown; fault?: undefined } | { fault: string }

/** An empty text is `undefined`. */
export const parseJson = (text: string, kind: JsonKind = 'any'): ParsedJson => {
  if (text.trim() === '') return { value: undefined }
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return kind === 'object' && !isObject ? { fault: uiStrings.notAnObject } : { value }
  } catch {
    return { fault: uiStrings.invalidJson }
  }
}

export const jsonText = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2))
