// Decodes UTF-8 strictly, because other bytes would be stored as different text. Pure.
import { isUtf8 } from 'node:buffer'
import { usage } from '../failures.ts'

/** `name` is the source of the bytes, for the error. */
export const utf8Of = (bytes: Buffer, name: string): string => {
  if (!isUtf8(bytes)) throw usage(`${name} is not UTF-8`)
  return bytes.toString('utf8')
}

/** The first characters of a text, without splitting one. */
export const firstCharacters = (text: string, count: number): string => [...text].slice(0, count).join('')
