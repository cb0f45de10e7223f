// Guarantees: a person approves or rejects a device on the page, in a real browser, from the link that the device
// shows; a page of another origin cannot do it for them.
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wrongWith } from './support/axe.ts'
import { hasBrowser, launchBrowser, screenshotFolder } from './support/browser.ts'
import { listenForFaults } from './support/console.ts'
import { type ServerProcess, startServer } from './support/server.ts'

type Device = { user_code: string; device_code: string; approve_url: string }

describe.skipIf(!hasBrowser)('the device page in a real browser', () => {
  let server: ServerProcess
  let browser: Browser
  let context: BrowserContext
  let screenshots: string
  beforeAll(async () => {
    ;[server, browser, screenshots] = await Promise.all([startServer(), launchBrowser(), screenshotFolder()])
    context = await browser.newContext({ viewport: { width: 900, height: 1100 } })
  })
  afterAll(async () => {
    await browser?.close()
    await server?.remove()
  })

  const send = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'user-agent': 'millrace-cli/1.4.0 (linux; x64)' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return ((await response.json()) as { data: Record<string, unknown> }).data
  }
  const startDevice = (body: object = { token_kind: 'session' }) =>
    send('POST', '/device/auth', body) as unknown as Promise<Device>
  const poll = ({ device_code }: Device) => send('GET', `/device/auth/poll/${device_code}`)
  const picture = async (page: Page, name: string) => {
    await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true })
    expect(await wrongWith(page)).toEqual([])
  }
  const visit = async (work: (page: Page) => Promise<void>, expected: readonly number[] = []): Promise<void> => {
    const page = await context.newPage()
    const faults = listenForFaults(page, expected)
    try {
      await work(page)
      expect(faults).toEqual([])
    } finally {
      await page.close()
    }
  }

  it('requires the sign-in first, returns to the code, and approves', () =>
    visit(async (page) => {
      const device = await startDevice()
      await page.goto(device.approve_url)
      await page.waitForURL(/\/sign-in\?/)
      await page.getByLabel('Email address', { exact: true }).fill('ada@mill.example')
      await page.getByRole('button', { name: 'Send me a code', exact: true }).click()
      await page.waitForURL(/\/sign-in\/code/)
      await page
        .getByLabel('Six-digit code', { exact: true })
        .fill(await server.mailPart('ada@mill.example', /code[^\n]*: (\d{6})/))
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL(device.approve_url)

      await expect.poll(() => page.textContent('#user-code')).toBe(device.user_code)
      await expect.poll(() => page.textContent('#client')).toContain('millrace-cli 1.4.0 on Linux')
      await expect.poll(() => page.textContent('#address')).toBe('127.0.0.1')
      expect(await page.getByLabel('Signed in for', { exact: true }).inputValue()).toBe(String(365 * 24 * 3600))
      await expect.poll(() => page.getByRole('radio', { name: /^Standard/ }).isChecked()).toBe(true)
      await picture(page, '1-device-page')

      await page.getByRole('radio', { name: /^Run only/ }).check()
      await page.getByText('Scopes').nth(1).click()
      await picture(page, '2-scopes-shown')
      await page.getByLabel('Signed in for', { exact: true }).selectOption({ label: '1 hour' })
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      await page.getByRole('heading', { name: 'Device approved', exact: true }).waitFor()
      await picture(page, '3-approved')

      const { status, session_token: token } = await poll(device)
      expect(status).toBe('approved')
      const allowed = await fetch(`${server.url}/apikeys`, { headers: { authorization: `Bearer ${token}` } })
      // Run only: the person did not approve the scope for reading keys.
      expect(allowed.status).toBe(403)
    }))

  it('accepts a typed code, and rejects the device', () =>
    visit(async (page) => {
      const device = await startDevice()
      await page.goto(`${server.url}/device`)
      await page.getByLabel('Code', { exact: true }).fill('BCDF GHJK')
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
      await expect.poll(() => page.getByRole('alert').textContent()).toContain('No device is waiting')
      await picture(page, '4-unknown-code')
      await page.getByLabel('Code', { exact: true }).fill(device.user_code.replace('-', '').toLowerCase())
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
      await page.getByRole('button', { name: 'Deny', exact: true }).click()
      await page.getByRole('heading', { name: 'Sign-in denied', exact: true }).waitFor()
      expect(await poll(device)).toEqual({ status: 'denied' })
    }))

  it('shows six digits for a device that cannot poll', () =>
    visit(async (page) => {
      const verifier = randomBytes(32).toString('base64url')
      const device = await startDevice({
        token_kind: 'session',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      })
      await page.goto(device.approve_url)
      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      const digits = await page.textContent('#claim-code')
      expect(digits).toMatch(/^\d{6}$/)
      await picture(page, '5-claim-code')
      const claimed = await send('POST', '/device/auth/claim', { code: digits, code_verifier: verifier })
      expect(claimed.session_token).toMatch(/^sess_/)
    }))

  describe('a page of another origin', () => {
    let stranger: Server
    let form = ''
    beforeAll(async () => {
      stranger = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(form))
      await once(stranger.listen(0, '127.0.0.1'), 'listening')
    })
    afterAll(() => {
      stranger.close()
    })

    it('cannot approve in the visitor’s name, although the browser sends the cookie', () =>
      visit(async (page) => {
        const device = await startDevice()
        // Another port is another origin but the same site, so SameSite alone would not block this.
        form = `<form method="post" action="${server.url}/device">${Object.entries({
          code: device.user_code,
          decision: 'approve',
          access: 'full',
          lifetime: '31536000',
        })
          .map(([name, value]) => `<input name="${name}" value="${value}">`)
          .join('')}<button>Win a prize</button></form>`
        const cookies: (string | undefined)[] = []
        page.on('request', async (request) => {
          if (request.method() === 'POST') cookies.push((await request.allHeaders()).cookie)
        })
        await page.goto(`http://127.0.0.1:${(stranger.address() as AddressInfo).port}/`)
        await page.getByRole('button', { name: 'Win a prize', exact: true }).click()
        // Redirected to the sign-in page, and since the person is signed in, to the question: nothing was answered.
        await page.waitForURL(device.approve_url)
        await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
        expect(cookies[0]).toContain('session=')
        expect(await poll(device)).toEqual({ status: 'pending' })
      }))
  })
})
