// Text as it came, or not at all: what is not UTF-8 would be stored as something else. Pure.
import { isUtf8 } from 'node:buffer'
import { usage } from '../failures.ts'

/** `name` says whose bytes they are. */
export const utf8Of = (bytes: Buffer, name: string): string => {
  if (!isUtf8(bytes)) throw usage(`${name} is not UTF-8`)
  return bytes.toString('utf8')
}

/** The beginning of a text, of whole characters. */
export const firstCharacters = (text: string, count: number): string => [...text].slice(0, count).join('')
