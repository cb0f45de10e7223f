// Guarantees: a person with only a browser becomes the owner of an empty installation, and signs in and out through the
// pages with the code from the printed mail; an authenticator is required once it is set up. No page logs an error,
// none is wider than a narrow screen, and none has axe violations, in light and dark.
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authenticatorCode } from './support/authenticator.ts'
import { wrongWith } from './support/axe.ts'
import { hasBrowser, launchBrowser, screenshotFolder } from './support/browser.ts'
import { listenForFaults } from './support/console.ts'
import { type ServerProcess, startServer } from './support/server.ts'

describe.skipIf(!hasBrowser)('the sign-in page in a real browser', () => {
  let server: ServerProcess
  let browser: Browser
  let screenshots: string
  beforeAll(async () => {
    ;[server, browser, screenshots] = await Promise.all([
      startServer({ env: { CONSOLE: 'false' } }),
      launchBrowser(),
      screenshotFolder(),
    ])
  })
  afterAll(async () => {
    await browser?.close()
    await server?.remove()
  })

  // API calls are made from pages whose policy blocks them, to test the policy.
  const visit = async (
    work: (page: Page, context: BrowserContext) => Promise<void>,
    expected: readonly number[] = [],
  ): Promise<void> => {
    const context = await browser.newContext({ bypassCSP: true })
    try {
      const page = await context.newPage()
      const faults = listenForFaults(page, expected)
      await work(page, context)
      expect(faults).toEqual([])
    } finally {
      await context.close()
    }
  }
  const picture = async (page: Page, name: string) => {
    await page.screenshot({ path: join(screenshots, `${name}.png`) })
    expect(await wrongWith(page)).toEqual([])
  }

  const askForCode = async (page: Page, email: string): Promise<string> => {
    const before = server.mailCount(email)
    await page.getByLabel('Email address', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Send me a code', exact: true }).click()
    await page.waitForURL(/\/sign-in\/code/)
    return server.mailPart(email, /code[^\n]*: (\d{6})/, before)
  }
  const typeCode = async (page: Page, label: string, code: string): Promise<void> => {
    await page.getByLabel(label, { exact: true }).fill(code)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  /** An API call as the app's own pages make it: with the cookie and the browser's Origin. */
  const call = (page: Page, method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> =>
    page.evaluate(
      async (request) => {
        const response = await fetch(request.path, {
          method: request.method,
          headers: { 'content-type': 'application/json' },
          ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
        })
        return { status: response.status, body: await response.json() }
      },
      { method, path, body },
    )

  it('makes the first visitor with the banner’s link the owner', async () => {
    await visit(
      async (page) => {
        expect(server.ownerLink).not.toBeNull()
        await page.goto(server.ownerLink ?? '')
        await picture(page, '1-setup')
        await page.getByLabel('Email address', { exact: true }).fill('owner@mill.example')
        await page.getByRole('button', { name: 'Become the owner', exact: true }).click()
        await page.waitForURL(`${server.url}/`)
        await expect.poll(() => page.textContent('main')).toContain('owner@mill.example')
        await expect.poll(() => page.textContent('main')).toContain('millrace')
        await picture(page, '2-home-of-the-owner')

        await page.goto(server.ownerLink ?? '')
        await expect.poll(() => page.textContent('h1')).toBe('This installation already has an owner')
        expect(await page.getByRole('button', { name: 'Become the owner', exact: true }).count()).toBe(0)
      },
      [410],
    )
  })

  it('signs in with the code of the printed mail, and out again', async () => {
    await visit(
      async (page, context) => {
        await page.goto(`${server.url}/`)
        await page.waitForURL(/\/sign-in$/)
        await picture(page, '3-sign-in')
        const code = await askForCode(page, 'ada@mill.example')
        await typeCode(page, 'Six-digit code', code === '000000' ? '000001' : '000000')
        await expect.poll(() => page.getByRole('alert').textContent()).toContain('wrong')
        await picture(page, '4-wrong-code')
        await typeCode(page, 'Six-digit code', code)
        await page.waitForURL(`${server.url}/`)
        await expect.poll(() => page.textContent('main')).toContain('ada@mill.example')
        await picture(page, '5-signed-in')

        const cookies = await context.cookies()
        expect(cookies.find(({ name }) => name === 'session')).toMatchObject({
          httpOnly: true,
          sameSite: 'Lax',
          path: '/',
        })
        expect(await page.evaluate('document.cookie')).toMatch(/^csrf=[\w-]{43}$/)

        await page.getByRole('button', { name: 'Sign out', exact: true }).click()
        await page.waitForURL(/\/sign-in$/)
        expect(await context.cookies()).toEqual([])
      },
      [400],
    )
  })

  it('follows the mailed link to the page that asked for the sign-in', async () => {
    await visit(async (page) => {
      await page.goto(`${server.url}/sign-in?redirect_to=${encodeURIComponent('/docs')}`)
      await askForCode(page, 'grace@mill.example')
      await page.goto(await server.mailPart('grace@mill.example', /(http\S+token=\S+)/))
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL(`${server.url}/docs`)
      expect(await call(page, 'GET', '/me')).toMatchObject({
        status: 200,
        body: { data: { user: { email: 'grace@mill.example' } } },
      })
    })
  })

  it('requires the authenticator once it is set up', async () => {
    await visit(
      async (page) => {
        await page.goto(`${server.url}/sign-in`)
        await typeCode(page, 'Six-digit code', await askForCode(page, 'alan@mill.example'))
        await page.waitForURL(`${server.url}/`)
        // The pages themselves run no scripts.
        await page.goto(`${server.url}/docs`)
        const enrolled = await call(page, 'POST', '/auth/totp/enroll')
        const { secret } = (enrolled.body as { data: { secret: string } }).data
        const startMs = Date.now()
        const used = authenticatorCode(secret, startMs)
        expect(await call(page, 'POST', '/auth/totp/confirm', { code: used })).toMatchObject({ status: 200 })
        await page.goto(`${server.url}/`)
        await page.getByRole('button', { name: 'Sign out', exact: true }).click()
        await page.waitForURL(/\/sign-in$/)

        await typeCode(page, 'Six-digit code', await askForCode(page, 'alan@mill.example'))
        await page.waitForURL(/\/sign-in\/authenticator$/)
        await picture(page, '6-authenticator')
        await typeCode(page, 'Code of the authenticator', used)
        await expect.poll(() => page.getByRole('alert').textContent()).toContain('already used')
        await typeCode(page, 'Code of the authenticator', authenticatorCode(secret, startMs + 30_000))
        await page.waitForURL(`${server.url}/`)
        await expect.poll(() => page.textContent('main')).toContain('alan@mill.example')
      },
      [400],
    )
  })
})
