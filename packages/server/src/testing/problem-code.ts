// The code of an error response: at the end of a problem's `type`, or `error` of OAuth and of OpenAI's API.

type ErrorBody = { type?: string; error?: string | { code?: string } }

/** Codes of OpenAI's API that stand for one of ours. */
const ownCodes: Readonly<Record<string, string>> = {
  invalid_api_key: 'unauthorized',
  rate_limit_exceeded: 'rate_limited',
  model_not_found: 'not_found',
}

export const problemCode = ({ type, error }: ErrorBody): string | undefined => {
  const ofProblem = type?.split('/errors/')[1]
  if (ofProblem !== undefined || typeof error !== 'object') return ofProblem ?? (error as string | undefined)
  return ownCodes[error.code ?? ''] ?? error.code
}
