// Guarantees: a person connects a service in a real browser and returns from the service's page; gets an explanation if
// the service refused or the return is not theirs; also returns after signing in on the way; and from the console in a
// popup that closes itself.
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { wrongWith } from './support/axe.ts'
import { hasBrowser, launchBrowser, screenshotFolder } from './support/browser.ts'
import { type ConsoleWorld, listenForFaults, startConsole } from './support/console.ts'
import { type OauthServer, startOauthServer } from './support/oauth-server.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const slug = 'mill-crm'
const email = 'ada@mill.example'

const providerAt = ({ client, address }: OauthServer) => ({
  slug,
  display_name: 'Mill CRM',
  ...client,
  specs: [
    {
      kind: 'oauth2',
      authorization_endpoint: `${address}/auth`,
      token_endpoint: `${address}/token`,
      userinfo_url: `${address}/me`,
      scopes: ['openid', 'read'],
    },
  ],
})

describe.skipIf(!hasBrowser)('the page behind the redirect, in a real browser', () => {
  let server: ServerProcess
  let oauth: OauthServer
  let browser: Browser
  let context: BrowserContext
  let screenshots: string
  beforeAll(async () => {
    ;[server, oauth, browser, screenshots] = await Promise.all([
      startServer({ env: { ENGINE: 'false', CONSOLE: 'false' } }),
      startOauthServer(slug, 3_600),
      launchBrowser(),
      screenshotFolder(),
    ])
    context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(server.url)
    await typeSignIn(page)
    await page.waitForURL(`${server.url}/`)
    await call('POST', '/auth-providers', providerAt(oauth))
    await page.close()
  })
  afterAll(async () => {
    await browser?.close()
    await server?.remove()
    await oauth?.close()
  })

  const typeSignIn = async (page: Page): Promise<void> => {
    const before = server.mailCount(email)
    await page.getByLabel('Email address', { exact: true }).fill(email)
    await page.getByRole('button', { name: 'Send me a code', exact: true }).click()
    await page.waitForURL(/\/sign-in\/code/)
    await page
      .getByLabel('Six-digit code', { exact: true })
      .fill(await server.mailPart(email, /code[^\n]*: (\d{6})/, before))
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }

  /** With the browser's cookie, like the console. */
  const call = async <T>(method: string, path: string, data?: object): Promise<T> => {
    const response = await context.request.fetch(`${server.url}${path}`, {
      method,
      headers: { origin: server.url },
      ...(data === undefined ? {} : { data }),
    })
    expect(response.status(), await response.text()).toBe(200)
    return ((await response.json()) as { data: T }).data
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
  const begin = async (): Promise<string> =>
    (await call<{ auth_url: string }>('POST', '/credentials', { provider: slug, type: 'oauth' })).auth_url
  const status = async (): Promise<string> => (await call<{ status: string }>('GET', `/credentials/${slug}`)).status
  const picture = async (page: Page, name: string) => {
    await page.screenshot({ path: join(screenshots, `${name}.png`) })
    expect(await wrongWith(page)).toEqual([])
  }

  it('shows that the service refused', () =>
    visit(
      async (page) => {
        oauth.consents = false
        await page.goto(await begin())
        await page.getByRole('heading', { name: 'Mill CRM is not connected', exact: true }).waitFor()
        await expect.poll(() => page.getByRole('alert').textContent()).toContain('denied')
        await picture(page, '1-denied')
        oauth.consents = true
        expect(await status()).not.toBe('connected')
      },
      [400],
    ))

  it('connects without a click', () =>
    visit(async (page) => {
      await page.goto(await begin())
      await page.getByRole('heading', { name: 'Mill CRM is connected', exact: true }).waitFor()
      await expect.poll(() => page.textContent('#account')).toBe('ada')
      expect(page.url()).toBe(`${server.url}/settings/secrets/oauth/${slug}`)
      await picture(page, '2-connected')
      expect(await status()).toBe('connected')
    }))

  it('rejects a return with an unknown state, with an explanation', () =>
    visit(
      async (page) => {
        await page.goto(`${server.url}/settings/secrets/oauth/${slug}?code=invented&state=invented`)
        await expect.poll(() => page.getByRole('alert').textContent()).toContain('start it again')
        await picture(page, '3-wrong-state')
      },
      [400],
    ))

  it('works without scripts, with its button', async () => {
    const plain = await browser.newContext({ javaScriptEnabled: false, storageState: await context.storageState() })
    const page = await plain.newPage()
    await page.goto(await begin())
    await page.screenshot({ path: join(screenshots, '4-without-scripts.png') })
    await page.getByRole('button', { name: 'Finish', exact: true }).click()
    await page.getByRole('heading', { name: 'Mill CRM is connected', exact: true }).waitFor()
    await plain.close()
  })

  it('asks for the sign-in if necessary, and continues afterwards', async () => {
    const other = await browser.newContext()
    const page = await other.newPage()
    await page.goto(await begin())
    await page.waitForURL(/\/sign-in\?/)
    expect(page.url()).not.toContain('code')
    await typeSignIn(page)
    await page.getByRole('heading', { name: 'Mill CRM is connected', exact: true }).waitFor()
    await other.close()
  })
})

describe.skipIf(!hasBrowser)('the window that the console opens', () => {
  let world: ConsoleWorld
  let oauth: OauthServer
  beforeAll(async () => {
    ;[world, oauth] = await Promise.all([startConsole({ env: { ENGINE: 'false' } }), startOauthServer(slug, 3_600)])
    const icon_url = `${world.server.url}/favicon.svg`
    await world.call('POST', '/auth-providers', { ...providerAt(oauth), icon_url })
    await world.call('POST', '/vaults', { name: 'For the CRM' })
  })
  afterAll(async () => {
    await world?.close()
    await oauth?.close()
  })

  const card = (page: Page) => page.getByRole('listitem').filter({ hasText: 'Mill CRM' })
  const goToService = async (page: Page): Promise<Page> => {
    await card(page).getByRole('button', { name: 'Connect', exact: true }).click()
    const [opened] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Continue at Mill', exact: true }).click(),
    ])
    return opened
  }

  it('stays open so that a refusal can be read', () =>
    world.visit('/connections', async (page) => {
      oauth.consents = false
      const popup = await goToService(page)
      await popup.getByRole('heading', { name: 'Mill CRM is not connected', exact: true }).waitFor()
      await popup.waitForTimeout(1_000)
      expect(popup.isClosed()).toBe(false)
      await popup.close()
      oauth.consents = true
    }))

  it('closes itself once the service is connected, and the console shows the connection', () =>
    world.visit('/connections', async (page) => {
      const popup = await goToService(page)
      if (!popup.isClosed()) await popup.waitForEvent('close')
      await card(page).getByText('connected', { exact: true }).waitFor()
      await card(page).getByRole('button', { name: 'Disconnect', exact: true }).waitFor()
      // The icon is hosted by this server, so it is shown.
      expect(await card(page).locator('img').getAttribute('src')).toBe(`${world.server.url}/favicon.svg`)
    }))

  it('leaves a connection that can be added to a vault and removed from it', () =>
    world.visit('/vaults', async (page) => {
      await page.getByText('For the CRM', { exact: true }).click()
      const held = page.getByRole('region', { name: 'Connections', exact: true })
      await held.getByText('This vault has no connections yet.', { exact: true }).waitFor()
      await held.getByLabel('Add connection', { exact: true }).click()
      await page.getByRole('option').first().click()
      await held.getByRole('button', { name: 'Remove Mill CRM', exact: true }).click()
      await held.getByText('This vault has no connections yet.', { exact: true }).waitFor()
    }))
})
