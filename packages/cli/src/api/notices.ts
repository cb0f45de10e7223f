// Reads the notices in the headers of a streamed response. Pure.
import type { Notice } from '@millrace/contract/common'

export const noticesOfHeaders = (headers: Headers): Notice[] => {
  const text = headers.get('x-messages')
  const told: unknown = text === null ? [] : JSON.parse(decodeURIComponent(text))
  return Array.isArray(told) ? (told as Notice[]) : []
}
