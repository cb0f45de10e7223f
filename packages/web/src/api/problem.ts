// An error response of the server: what happened, the page that explains it and the request id.

export type ProblemBody = {
  type?: string
  title?: string
  status?: number
  detail?: string
  meta?: Record<string, unknown>
  errors?: readonly { field?: string; message?: string }[]
}

export class Problem extends Error {
  readonly status: number
  /** The last part of `type`, such as `not_found`. */
  readonly code: string
  readonly title: string
  /** The page that explains the code. */
  readonly page: string | undefined
  readonly requestId: string | undefined
  readonly body: ProblemBody

  constructor(body: ProblemBody, status: number, requestId: string | undefined) {
    super(body.detail ?? body.title ?? `The server answered ${status}`)
    this.status = status
    this.code = body.type?.split('/').at(-1) ?? 'unknown'
    this.title = body.title ?? 'Something went wrong'
    this.page = body.type?.startsWith('http') ? new URL(body.type).pathname : undefined
    this.requestId = requestId
    this.body = body
  }
}

export const isForbidden = (error: unknown): error is Problem => error instanceof Problem && error.status === 403

export const problemFrom = async (response: Response): Promise<Problem> => {
  const requestId = response.headers.get('x-request-id') ?? undefined
  const body: ProblemBody = await response.json().catch(() => ({}))
  return new Problem(body, response.status, requestId)
}

/** The server could not be reached. */
export const unreachable = (cause: unknown): Problem => {
  const problem = new Problem(
    { title: 'The server does not answer', detail: 'Check your connection and that Millrace is running' },
    0,
    undefined,
  )
  problem.cause = cause
  return problem
}
