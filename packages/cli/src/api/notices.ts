// Reads the notices in the headers of a streamed response. Pure.
import type { Notice } from '@millrace/contract/common'

export const noticesOfHeaders = (headers: Headers): Notice[] => {
  const text = headers.get('x-messages')
  const parsed: unknown = text === null ? [] : JSON.parse(decodeURIComponent(text))
  return Array.isArray(parsed) ? (parsed as Notice[]) : []
}
