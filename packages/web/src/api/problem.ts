// A refusal of the server as the console shows it: what happened, where it is explained, and which request it was.

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
    this.title = body.title ?? 'This did not work'
    this.page = body.type?.startsWith('http') ? new URL(body.type).pathname : undefined
    this.requestId = requestId
    this.body = body
  }
}

export const problemFrom = async (response: Response): Promise<Problem> => {
  const requestId = response.headers.get('x-request-id') ?? undefined
  const body: ProblemBody = await response.json().catch(() => ({}))
  return new Problem(body, response.status, requestId)
}

/** The server was not reached at all. */
export const unreachable = (cause: unknown): Problem => {
  const problem = new Problem(
    { title: 'The server does not answer', detail: 'Check that Millrace is running.' },
    0,
    undefined,
  )
  problem.cause = cause
  return problem
}
