// How a conversation with an MCP server ends badly, in words of ours.
import { type Failure, fail, isFailure } from '#platform/core/errors.ts'
import { outboundFailureIn } from '#platform/outbound/failures.ts'

/** Of the errors of the library: what an answer of a server was, without the text that it sent. */
export const statusIn = (error: unknown): number | undefined => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'number' && code >= 100 && code < 600 ? code : undefined
}

/** The server does not know who asks, or will not answer whoever asked. */
export const isRefused = (error: unknown): boolean => statusIn(error) === 401

/** What the server itself answered as an error of the protocol; undefined when nothing was answered. */
export const protocolErrorIn = (error: unknown): string | undefined => {
  if (!(error instanceof Error) || error.name !== 'McpError' || !('code' in error)) return undefined
  // The library's own codes for "no answer": its clock ran out, the connection closed.
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
  return fail('mcp_unreachable', { detail: `${name} could not be asked: ${why}`, cause: error })
}
