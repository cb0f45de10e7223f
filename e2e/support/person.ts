// A person in a browser, at the level of HTTP: signs in with the code of the printed mail and retains the cookie.
import type { ServerProcess } from './server.ts'

export type Person = {
  readonly email: string
  /** Calls the API like a page of the app: with the cookie and the app's Origin. */
  call(method: string, path: string, body?: object): Promise<{ status: number; data: Record<string, unknown> }>
}

/** The server to sign in to, with access to its mails. */
export type MailingServer = Pick<ServerProcess, 'url' | 'mailPart'>

const post = (server: MailingServer, path: string, body: object): Promise<Response> =>
  fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

export const signInByMail = async (server: MailingServer, email: string): Promise<Person> => {
  await post(server, '/auth/magic-link/send', { email })
  const code = await server.mailPart(email, /code[^\n]*: (\d{6})/)
  const verified = await post(server, '/auth/magic-link/verify', { email, code })
  const cookie = verified.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  if (!cookie.includes('session=')) throw new Error(`${email} was not signed in: ${await verified.text()}`)
  return {
    email,
    call: async (method, path, body) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { cookie, origin: server.url, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const answer = (await response.json()) as { data?: Record<string, unknown> }
      return { status: response.status, data: answer.data ?? {} }
    },
  }
}
