// What the server says beside an answer: in its envelope, or in a header where the answer is a stream. Pure.
import type { Notice } from '@millrace/contract/common'

const listOf = (value: unknown): Notice[] => (Array.isArray(value) ? (value as Notice[]) : [])

export const noticesOf = (json: unknown): Notice[] =>
  listOf(typeof json === 'object' && json !== null && 'messages' in json ? json.messages : [])

export const noticesOfHeaders = (headers: Headers): Notice[] => {
  const text = headers.get('x-messages')
  return text === null ? [] : listOf(JSON.parse(decodeURIComponent(text)))
}
