// A workspace on a real server, used through the published client: one client with an API key, and one with a session
// token.
import type { Inference } from '@inferencesh/sdk'
import { type SignedIn, signIn } from '../support/operator.ts'
import { type ServerProcess, type StartOptions, startServer } from '../support/server.ts'
import { sdk } from './load.ts'

export type Guest = {
  readonly server: ServerProcess
  readonly owner: SignedIn
  readonly apiKey: string
  /** With an API key. */
  readonly client: Inference
  /** With a session token. */
  readonly person: Inference
  /** Plain requests, for operations without a client method. */
  call(route: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }>
  remove(): Promise<void>
}

export const startGuest = async (options: StartOptions = {}): Promise<Guest> => {
  const server = await startServer(options)
  try {
    const owner = await signIn(server.dataDir, 'guest@example.com', 'guests')
    const headers = { 'X-Team-ID': owner.team_id }
    const person = sdk.createClient({ baseUrl: server.url, getToken: () => owner.session_token, headers })
    const { data: key } = (await person.apiKeys.create({ name: 'guest' })) as { data: { key: string } }
    const client = sdk.inference({ apiKey: key.key, baseUrl: server.url })
    await echoRuns(client)
    return {
      server,
      owner,
      apiKey: key.key,
      client,
      person,
      call: (route, body) => call(server.url, owner, route, body),
      remove: () => server.remove(),
    }
  } catch (error) {
    await server.remove()
    throw error
  }
}

const call = async (url: string, owner: SignedIn, route: string, body: unknown) => {
  const [method, path] = route.split(' ')
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${owner.session_token}`,
      'x-team-id': owner.team_id,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}

export type Refusal = { status: number; code: string; body: Record<string, unknown> }

/** The server's error if it rejected the call; null for any other failure. */
export const refusalOf = (error: unknown): Refusal | null => {
  if (!sdk.isInferenceError(error)) return null
  const { statusCode, responseBody = '' } = error as { statusCode: number; responseBody?: string }
  const body = JSON.parse(responseBody) as Record<string, unknown>
  return { status: statusCode, code: String(body.type).split('/').at(-1) ?? '', body }
}

/** The error of a call that must be rejected. */
export const refused = async (calling: Promise<unknown>): Promise<Pick<Refusal, 'status' | 'code'>> => {
  const failure = await calling.then(
    () => new Error('the call was not refused'),
    (error: unknown) => error,
  )
  const refusal = refusalOf(failure)
  if (!refusal) throw failure
  return { status: refusal.status, code: refusal.code }
}

/** Waits until the included apps are deployed and the embedded engine is connected. */
const echoRuns = async (client: Inference): Promise<void> => {
  for (;;) {
    try {
      await client.run({ app: 'millrace/echo', input: {} })
      return
    } catch (error) {
      if (refusalOf(error)?.status !== 404) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
