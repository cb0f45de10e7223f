// Shared steps of sign-in tests: reading printed mails, generating authenticator codes, carrying cookies.
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@millrace/contract/ids'
import type { PrintedMail } from '#platform/mail/mailer.ts'
import type { Answer, As, World } from '../../../testing/world.ts'
import { fromBase32, totpCode, totpStep } from '../totp/totp.ts'

/** The printed mails to an address, oldest first, once there are more than `after`. The world must run its jobs. */
export const mailsTo = async (world: World, email: string, after = 0): Promise<PrintedMail[]> => {
  for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 10) {
    const mails = world.open.platform.mailer.printed().filter((mail) => mail.to === email)
    if (mails.length > after) return [...mails].reverse()
    await sleep(10)
  }
  throw new Error(`No mail to ${email} was printed`)
}

export type MailedLink = { email: string; token: string; code: string; text: string }

export const readLink = ({ to, text }: PrintedMail): MailedLink => ({
  email: to,
  token: /token=([\w-]{43})/.exec(text)?.[1] ?? '',
  code: /code[^\n]*: (\d{6})/.exec(text)?.[1] ?? '',
  text,
})

/** A unique address. */
export const newAddress = (): string => `${newId()}@mill.example`

export const requestLink = async (
  world: World,
  email: string = newAddress(),
  body: Record<string, unknown> = {},
): Promise<MailedLink> => {
  const before = world.open.platform.mailer.printed().filter((mail) => mail.to === email).length
  const answer = await world.call(null, 'POST /auth/magic-link/send', { body: { email, ...body } })
  if (answer.status !== 200) throw new Error(answer.text)
  const mail = (await mailsTo(world, email, before)).at(-1)
  if (!mail) throw new Error('The mail is gone')
  return readLink(mail)
}

export const otherCode = (code: string): string => (code === '000000' ? '000001' : '000000')

/** The code of an authenticator with this secret now, or some steps later. */
export const shownCode = (world: World, secret: string, stepsLater = 0): string =>
  totpCode(fromBase32(secret) ?? new Uint8Array(), totpStep(world.clock.now()) + stepsLater)

const stepMs = 30_000

/** Sets up an authenticator and advances the clock, so that the next code is new. */
export const setUpAuthenticator = async (world: World, as: As): Promise<string> => {
  const { data } = await world.call(as, 'POST /auth/totp/enroll', { body: {} })
  const confirmed = await world.call(as, 'POST /auth/totp/confirm', { body: { code: shownCode(world, data.secret) } })
  if (confirmed.status !== 200) throw new Error(confirmed.text)
  world.clock.advance(stepMs)
  return data.secret
}

/** The cookies set by a response, by name; cleared ones are empty. */
export const cookiesOf = (answer: Pick<Answer, 'headers'>): Record<string, string> =>
  Object.fromEntries(
    [answer.headers['set-cookie'] ?? []].flat().map((line) => {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      return [name, value]
    }),
  )

/** Headers of a browser with these cookies on our own page. */
export const browserHeaders = (world: World, cookies: Record<string, string>): Record<string, string> => ({
  cookie: Object.entries(cookies)
    .map(([name, value]) => `${name}=${value}`)
    .join('; '),
  origin: world.open.platform.settings.APP_URL,
})

/** Signs in a new person as a browser does; returns the session's cookies and a bearer token of the same person. */
export const signInBrowser = async (world: World, email: string = newAddress()) => {
  const { token } = await requestLink(world, email)
  const answer = await world.call(null, 'POST /auth/magic-link/verify', { body: { token } })
  const headers = browserHeaders(world, cookiesOf(answer))
  return { email, userId: answer.data.user.id as string, sessionId: answer.data.session_id as string, headers }
}

export const ban = (world: World, email: string) =>
  world.open.platform.db
    .updateTable('users')
    .set({ banned_at: world.clock.now().toISOString() })
    .where('email', '=', email)
    .execute()
