// Converts an error response to a message and an exit code. Pure.

import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'

const codeOf = (type: unknown): string => (typeof type === 'string' ? (type.split('/').at(-1) ?? '') : '')

const exitCodeOf = (status: number): ExitCode => {
  if (status === 401 || status === 403 || status === 451) return exitCodes.refused
  return status === 429 || status === 502 || status === 503 || status === 504 ? exitCodes.unavailable : exitCodes.failed
}

export const toFailure = (status: number, text: string): CliFailure => {
  const body = parseObject(text)
  const unmet = requirementMessages(body)
  const sentence = [
    unmet && unmet.length > 1 ? body.title : unmet?.[0],
    body.detail,
    body.title,
    body.message,
    body.error_description,
  ].find((value): value is string => typeof value === 'string' && value !== '')
  return new CliFailure(sentence ?? `The server answered ${status}`, {
    status,
    code: codeOf(body.type) || (typeof body.error === 'string' ? body.error : `http_${status}`),
    exitCode: exitCodeOf(status),
    ...(unmet && { details: unmet.length === 1 ? [] : unmet }),
  })
}

/** The messages of unmet requirements, which the detail repeats: one line each. */
const requirementMessages = ({ errors }: Record<string, unknown>): string[] | undefined => {
  if (!Array.isArray(errors)) return undefined
  return errors.flatMap((error: unknown) => {
    const message = (error as { message?: unknown } | null)?.message
    return typeof message === 'string' ? [message] : []
  })
}

const parseObject = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
