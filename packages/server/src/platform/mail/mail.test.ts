// Guarantees: mail reaches the SMTP server unchanged, is retried when the server is unavailable, is dropped when
// useless, and its content is never logged.

import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../testing/until.ts'
import { createWorld, type World } from '../../testing/world.ts'
import { readSettings } from '../settings/settings.ts'
import { createMailer } from './mailer.ts'
import { mailHandler, queueMail } from './queue.ts'
import { inviteMail, signInMail } from './templates.ts'

type Received = { user: string; from: string; to: string[]; text: string }

/** A real SMTP server with a login; `away` makes it refuse as an overloaded one. */
const startSmtp = async () => {
  const received: Received[] = []
  const state = { away: false, refused: 0 }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'word' ? done(null, { user: username }) : done(new Error('wrong password')),
    onMailFrom: (_address, _session, done) => {
      if (!state.away) return done()
      state.refused += 1
      return done(Object.assign(new Error('try later'), { responseCode: 451 }))
    },
    onData: (stream, session, done) => {
      let text = ''
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        text += chunk
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          user: String(session.user),
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text,
        })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  return {
    received,
    state,
    url: `smtp://mill:word@127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

describe('mail through SMTP', () => {
  let smtp: Awaited<ReturnType<typeof startSmtp>>
  let world: World
  beforeAll(async () => {
    smtp = await startSmtp()
    world = await createWorld({
      settings: { SMTP_URL: smtp.url, MAIL_FROM: 'Mill <mill@mill.example>', DEVELOPMENT: 'true' },
      runJobs: true,
    })
  })
  afterAll(async () => {
    await world?.close()
    await smtp?.close()
  })

  const mailTo = (email: string) => until(() => smtp.received.find(({ to }) => to.includes(email)))

  it('contains the sign-in link and code', async () => {
    await world.call(null, 'POST /auth/magic-link/send', { body: { email: 'ada@mill.example' } })
    const mail = await mailTo('ada@mill.example')
    expect(mail).toMatchObject({ user: 'mill', from: 'mill@mill.example', to: ['ada@mill.example'] })
    // Decode quoted-printable, which wraps long lines.
    const text = mail.text.replace(/=\r?\n/g, '').replaceAll('=3D', '=')
    expect(text).toMatch(/^Subject: Sign in to Millrace\r?$/m)
    const code = /code[^\n]*: (\d{6})/.exec(text)?.[1]
    const token = /token=([\w-]{43})/.exec(text)?.[1]
    const byCode = await world.call(null, 'POST /auth/magic-link/verify', { body: { email: 'ada@mill.example', code } })
    expect(byCode.data.user.email).toBe('ada@mill.example')
    expect(token).toBeDefined()
    expect((await world.call(null, 'GET /dev/mail')).data).toEqual([])
  })

  it('is retried when the mail server was unavailable', async () => {
    smtp.state.away = true
    const answer = await world.call(null, 'POST /auth/magic-link/send', { body: { email: 'late@mill.example' } })
    expect(answer.status).toBe(200)
    await until(() => smtp.state.refused > 0)
    smtp.state.away = false
    expect((await mailTo('late@mill.example')).to).toEqual(['late@mill.example'])
  })

  it('is dropped once it is useless', async () => {
    const quiet = await createWorld({ settings: { SMTP_URL: smtp.url } })
    try {
      const { platform } = quiet.open
      const payloads: Record<string, unknown>[] = []
      const jobs = {
        add: async (_db: unknown, _name: string, payload: Record<string, unknown>) => void payloads.push(payload),
      }
      const mail = { to: 'gone@mill.example', subject: 's', text: 't' }
      const notAfter = new Date(quiet.clock.now().getTime() + 1000)
      await queueMail({ ...platform, jobs }, mail, { notAfter })
      await queueMail({ ...platform, jobs }, { ...mail, to: 'still@mill.example' })
      quiet.clock.advance(1000)
      for (const payload of payloads) await mailHandler(platform)(payload)
      await mailTo('still@mill.example')
      expect(smtp.received.some(({ to }) => to.includes('gone@mill.example'))).toBe(false)
    } finally {
      await quiet.close()
    }
  })

  it('logs that a mail was sent without its content', async () => {
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
    const mailer = createMailer(readSettings({ SMTP_URL: smtp.url }), { log, print: () => {}, now: () => new Date() })
    await mailer.send(signInMail({ to: 'log@mill.example', link: 'http://x/?token=TOKEN', code: '424242' }))
    expect(lines.join('')).toContain('mail sent')
    expect(lines.join('')).not.toMatch(/TOKEN|424242|word/)
  })
})

describe('mail without a mail server', () => {
  it('is printed and the newest fifty are stored', async () => {
    const printed: string[] = []
    const mailer = createMailer(readSettings({}), {
      log: pino({ level: 'silent' }),
      print: (text) => void printed.push(text),
      now: () => new Date('2026-01-01T00:00:00Z'),
    })
    for (let index = 1; index <= 60; index += 1)
      await mailer.send({ to: `p${index}@mill.example`, subject: 's', text: 'one\ntwo' })
    expect(printed[0]).toBe('\n  Mail to p1@mill.example: s\n    one\n    two\n')
    expect(mailer.printed()).toHaveLength(50)
    expect(mailer.printed()[0]).toEqual({
      to: 'p60@mill.example',
      subject: 's',
      text: 'one\ntwo',
      sent_at: '2026-01-01T00:00:00.000000Z',
    })
  })
})

describe('templates', () => {
  it('an invite contains the inviting person and the workspace on one line each', () => {
    const mail = inviteMail({
      to: 'a@mill.example',
      teamName: 'Mill\r\nBcc: all@mill.example',
      invitedBy: 'Ada',
      role: 'admin',
      link: 'http://mill.example/invite?token=x',
      expiresAt: '2026-01-08T00:00:00Z',
    })
    expect(mail.subject).toBe('Ada invites you to Mill Bcc: all@mill.example on Millrace')
    expect(mail.text).toContain('as admin')
    expect(mail.text).toContain('2026-01-08')
    expect(mail.text).toContain('\nhttp://mill.example/invite?token=x\n')
    expect(mail.text).not.toContain('\nBcc')
  })
})
