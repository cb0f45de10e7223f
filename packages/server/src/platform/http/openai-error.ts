// Failures in the shape of OpenAI's API, for the routes that speak its protocol. Published clients read the status, the
// message and the code.
import { OpenAiError } from '@millrace/contract/openai'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Failure } from '../core/errors.ts'
import type { NamedSchemas } from './named-schemas.ts'
import { namedBy } from './problem.ts'
import { afterRestOfBody } from './rest-of-body.ts'

const typeOf = ({ status, code }: Failure): string => {
  if (code === 'budget_exceeded' || status === 402) return 'insufficient_quota'
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** Codes that published clients compare; every other code is ours. */
const codes: Partial<Record<Failure['code'], string>> = {
  unauthorized: 'invalid_api_key',
  rate_limited: 'rate_limit_exceeded',
}

const codeOf = ({ code }: Failure, field: unknown): string =>
  code === 'not_found' && field === 'model' ? 'model_not_found' : (codes[code] ?? code)

export const openAiError = (failure: Failure) => {
  const { field } = failure.options.meta ?? {}
  return {
    error: {
      message: failure.message,
      type: typeOf(failure),
      param: typeof field === 'string' ? field : null,
      code: codeOf(failure, field),
    },
  }
}

export const sendOpenAiError = (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
  const failure = namedBy(request, error)
  if (failure.code === 'internal_error') request.log.error({ err: failure.cause ?? failure }, 'request failed')
  if (failure.options.headers) reply.headers(failure.options.headers)
  const send = () => {
    reply
      .code(failure.status)
      .type('application/json')
      .serializer(String)
      .send(JSON.stringify(openAiError(failure)))
  }
  if (failure.code === 'payload_too_large') afterRestOfBody(request.raw, send)
  else send()
}

/** The description of these errors in the API reference. */
export const openAiErrorResponse = (codes: readonly string[], schemas: NamedSchemas) => ({
  description: `An error in the shape of OpenAI's API. Codes: ${codes.join(', ')}`,
  content: { 'application/json': { schema: schemas.refer(OpenAiError, 'OpenAiError') } },
})
