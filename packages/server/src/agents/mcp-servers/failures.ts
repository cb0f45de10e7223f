// Errors of MCP sessions in our own words.
import { type Failure, fail, isFailure } from '#platform/core/errors.ts'
import { outboundFailureIn } from '#platform/outbound/failures.ts'

/** The HTTP status in an error of the library, without the text that the server sent. */
export const statusIn = (error: unknown): number | undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'number' && code >= 100 && code < 600 ? code : undefined
}

/** The server requires a sign-in or rejected the credential. */
export const isRefused = (error: unknown): boolean => statusIn(error) === 401

/** The server's error as the protocol defines it; undefined if there was no answer. */
export const protocolErrorIn = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || error.name !== 'McpError' || !('code' in error)) return undefined
  // The library's codes for a timeout and a closed connection.
  if (error.code === -32001 || error.code === -32000) return undefined
  return error.message.replace(/^MCP error -?\d+: /, '')
}

export const unreachable = (name: string, error: unknown): Failure => {
  if (isFailure(error, 'mcp_unreachable')) return error
  const outbound = outboundFailureIn(error)
  const reason = outbound?.options.meta?.reason
  if (outbound && (reason === 'refused' || reason === 'invalid')) return outbound
  const status = statusIn(error)
  const why =
    outbound?.message ?? (status === undefined ? 'it did not answer as an MCP server' : `it answered ${status}`)
  return fail('mcp_unreachable', { detail: `${name} could not be reached: ${why}`, cause: error })
}
