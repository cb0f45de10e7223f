// An answer that is no success, as a sentence a person can act on. Pure.

import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { CliFailure } from '../failures.ts'

const codeOf = (type: unknown): string => (typeof type === 'string' ? (type.split('/').at(-1) ?? '') : '')

const exitCodeOf = (status: number): ExitCode => {
  if (status === 401 || status === 403 || status === 451) return exitCodes.refused
  return status === 429 || status === 502 || status === 503 || status === 504 ? exitCodes.unavailable : exitCodes.failed
}

export const toFailure = (status: number, text: string): CliFailure => {
  const body = parseObject(text)
  const sentence = [body.detail, body.title, body.message, body.error_description].find(
    (value): value is string => typeof value === 'string' && value !== '',
  )
  return new CliFailure(sentence ?? `The server answered ${status}`, {
    status,
    code: codeOf(body.type) || (typeof body.error === 'string' ? body.error : `http_${status}`),
    exitCode: exitCodeOf(status),
    details: requirementLines(body.errors),
  })
}

/** What an app still needs before it can run: one line each. */
const requirementLines = (errors: unknown): string[] =>
  (Array.isArray(errors) ? errors : []).flatMap((one: unknown) => {
    const { type, key, message } = (one ?? {}) as Record<string, unknown>
    return typeof message === 'string' ? [`${type} ${key}: ${message}`] : []
  })

const parseObject = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
