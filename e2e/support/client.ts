// A client that records every reply body.
export type Recorded = { route: string; status: number; text: string }

export type Client = {
  call(route: string, body?: unknown, headers?: Record<string, string>): Promise<{ status: number; data: unknown }>
  readonly recorded: readonly Recorded[]
}

export const createClient = (url: string, credential: { token: string; teamId: string }): Client => {
  const recorded: Recorded[] = []
  return {
    recorded,
    call: async (route, body, headers = {}) => {
      const [method = 'GET', path = '/'] = route.split(' ')
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${credential.token}`,
          'x-team-id': credential.teamId,
          'content-type': 'application/json',
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      recorded.push({ route, status: answer.status, text: `${JSON.stringify([...answer.headers])}\n${text}` })
      return { status: answer.status, data: (JSON.parse(text) as { data?: unknown }).data }
    },
  }
}

/** Runs the work for each item with limited concurrency. */
export const inParallel = async <T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const queue = items.values()
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of queue) await work(item)
    }),
  )
}
