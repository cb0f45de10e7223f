// The owner of the installation: confirms the sign-in, reads health, overrides limits, blocks an address, and finds all
// of it in the audit log under a shareable URL.
import { describe, expect, it } from 'vitest'
import { strings as settingsStrings } from '../../packages/web/src/settings/strings.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import { authenticatorCode } from '../support/authenticator.ts'
import type { ConsoleWorld } from '../support/console.ts'
import { pick } from '../support/pick.ts'

export const staffStories = (world: () => ConsoleWorld) =>
  describe('staff of the installation', () => {
    it('shows health once an authenticator is set up', () =>
      world().visit('/installation', async (page) => {
        await page.getByRole('link', { name: 'Set up an authenticator', exact: true }).click()
        await page.getByRole('button', { name: settingsStrings.authenticator.setUp, exact: true }).click()
        await page.getByRole('img', { name: settingsStrings.authenticator.qrCode, exact: true }).waitFor()
        const secret = (await page.locator('code').first().textContent()) ?? ''
        await page
          .getByLabel(settingsStrings.authenticator.code, { exact: true })
          .fill(authenticatorCode(secret, Date.now()))
        await page.getByRole('button', { name: settingsStrings.authenticator.confirm, exact: true }).click()
        await page.getByText(settingsStrings.authenticator.enabled).waitFor()
        const codes = page.getByRole('list', { name: settingsStrings.authenticator.recoveryCodes, exact: true })
        await expect.poll(() => codes.getByRole('listitem').count()).toBe(10)
        await page.getByRole('button', { name: settingsStrings.authenticator.codesSaved, exact: true }).click()
        await page.getByRole('link', { name: 'Installation', exact: true }).click()
        await page.getByText('Waiting runs').waitFor()
        await page.getByText('answered this request').waitFor()
      }))

    it('defines a plan, assigns it to a workspace, and overrides one limit', () =>
      world().visit('/installation/plans', async (page) => {
        await page.getByRole('button', { name: 'Create plan', exact: true }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Name', { exact: true }).fill('small')
        await dialog.getByLabel('Triggers', { exact: true }).fill('3')
        expect(await world().violations(page)).toEqual([])
        await dialog.getByRole('button', { name: 'Define it', exact: true }).click()
        await page.getByRole('heading', { name: /small/ }).waitFor()
        await page.getByRole('link', { name: 'Workspaces', exact: true }).click()
        await page.getByLabel('Find a workspace', { exact: true }).fill('owner')
        await page.waitForURL(/q=owner/)
        // Wait for the reply, because the limits on the page change with it.
        const given = page.waitForResponse(/\/workspaces\/[^/]+\/plans\/small$/)
        await page.route(
          /\/workspaces\/[^/]+\/limits$/,
          async (route) => {
            const response = await route.fetch()
            await given
            await route.fulfill({ response })
          },
          { times: 1 },
        )
        await page.getByRole('cell', { name: /owner/ }).first().click()
        await page.getByLabel('Add plan or add-on', { exact: true }).selectOption('small')
        await page.getByText(/^\d of 3$/).waitFor()
        await page.getByRole('button', { name: 'Change Members', exact: true }).click()
        await dialog.getByLabel('Limit', { exact: true }).fill('9')
        expect(await world().violations(page)).toEqual([])
        await dialog.getByRole('button', { name: 'Set limit', exact: true }).click()
        await page.getByText(/^\d of 9$/).waitFor()
        const usage = (await world().call('GET', '/entitlements/usage')) as { resource: string; limit: number }[]
        expect(usage.find(({ resource }) => resource === 'seats')?.limit).toBe(9)
        await page.getByLabel('Amount in dollars', { exact: true }).fill('12.50')
        await page.getByLabel('Reason', { exact: true }).fill('harvest')
        await page.getByRole('button', { name: 'Grant credits', exact: true }).click()
        await page.getByText(/^Granted \$12\.50/).waitFor()
        await page.getByRole('button', { name: 'Remove', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
        await page.getByText('The default plan of the installation').waitFor()
      }))

    it('deletes an unused plan, and reads why another cannot be deleted', () =>
      world().visit(
        '/installation/plans',
        async (page) => {
          await page.getByRole('button', { name: 'Delete self-hosted', exact: true }).click()
          await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
          await page.getByRole('alert').getByText('is the default plan and cannot be deleted').waitFor()
          await page.getByRole('dialog').getByRole('button', { name: uiStrings.cancel, exact: true }).click()
          await page.getByRole('button', { name: 'Delete small', exact: true }).click()
          await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
          await expect.poll(() => page.getByRole('heading', { name: /small/ }).count()).toBe(0)
        },
        { expected: [409] },
      ))

    it('adds workspaces to an organization, makes an admin, and removes both again', async () => {
      const stamp = Date.now()
      const upper = { name: 'Upper mill', username: `upper-${stamp}` }
      await world().call('POST', '/teams', upper)
      await world().visit('/installation/organizations', async (page) => {
        await page.getByRole('button', { name: 'New organization', exact: true }).first().click()
        await page.getByLabel('Name', { exact: true }).fill(`Mills ${stamp}`)
        await expect.poll(() => page.getByLabel('Namespace', { exact: true }).inputValue()).toBe(`mills-${stamp}`)
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: 'Create organization', exact: true }).click()
        await page.getByRole('heading', { name: `Mills ${stamp}`, exact: true }).waitFor()
        const attached = page.getByRole('list', { name: 'Workspaces of the organization', exact: true })
        await pick(page, 'Attach workspace', 'Upper mill')
        await attached.getByRole('button', { name: 'Detach', exact: true }).waitFor()
        await page.getByRole('list', { name: 'Admins of the organization', exact: true }).getByText('owner@').waitFor()
        expect(await world().violations(page)).toEqual([])
        const admins = page.getByRole('list', { name: 'Admins of the organization', exact: true })
        await page.getByLabel('Email address of another admin', { exact: true }).fill('grace@mill.example')
        await page.getByRole('button', { name: 'Add admin', exact: true }).click()
        const grace = admins.getByRole('listitem').filter({ hasText: 'grace@mill.example' })
        await grace.getByRole('button', { name: 'Remove', exact: true }).click()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
        await expect.poll(() => grace.count()).toBe(0)
        await expect.poll(() => admins.getByRole('listitem').count()).toBe(1)
        await attached.getByRole('button', { name: 'Detach', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Detach', exact: true }).click()
        await expect.poll(() => attached.getByRole('listitem').count()).toBe(1)
      })
    })

    it('redirects an old ref to an app and another to a page, and deletes one', () =>
      world().visit('/installation/aliases', async (page) => {
        await page.getByText('No aliases').waitFor()
        await page.getByLabel('Alias', { exact: true }).fill('old-mill/count')
        await pick(page, 'App', 'Word count')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: 'Add alias', exact: true }).click()
        const aliases = page.getByRole('list', { name: 'Aliases', exact: true }).getByRole('listitem')
        await aliases.getByRole('link', { name: 'millrace/word-count', exact: true }).waitFor()
        await page.getByLabel('Alias', { exact: true }).fill('old-mill/help')
        await page.getByLabel('Redirects to', { exact: true }).selectOption({ label: 'A page' })
        await page.getByLabel('Address', { exact: true }).fill('https://mill.example/help')
        await page.getByRole('button', { name: 'Add alias', exact: true }).click()
        await expect.poll(() => aliases.count()).toBe(2)
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: 'Delete old-mill/help', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
        await expect.poll(() => aliases.count()).toBe(1)
        await page.goto(`${world().server.url}/console/apps/old-mill/count`)
        await page.getByRole('heading', { name: 'Word count', exact: true }).waitFor()
      }))

    it('blocks an address, but not the own one', () =>
      world().visit(
        '/installation/addresses',
        async (page) => {
          await page.getByLabel('Address or network', { exact: true }).fill('127.0.0.0/8')
          await page.getByRole('button', { name: 'Block', exact: true }).click()
          await page.getByRole('alert').getByText('contains your own address').waitFor()
          await page.getByLabel('Address or network', { exact: true }).fill('203.0.113.9')
          await page.getByLabel('Reason', { exact: true }).fill('floods')
          await page.getByRole('button', { name: 'Block', exact: true }).click()
          await page.getByRole('cell', { name: '203.0.113.9/32', exact: true }).waitFor()
          await page.getByRole('button', { name: 'Unblock 203.0.113.9/32', exact: true }).click()
          await page.getByRole('dialog').getByRole('button', { name: 'Unblock', exact: true }).click()
          await page.getByText('No blocked addresses').waitFor()
        },
        { expected: [409] },
      ))

    it('finds the actions in the audit log, by URL', () =>
      world().visit('/settings/audit?action=ip_block&by=browser', async (page) => {
        await page.getByRole('row', { name: /ip_block.lifted/ }).click()
        await page.getByRole('button', { name: /^Show all entries for this/ }).click()
        await page.waitForURL(/\?on=\w+$/)
        await page.getByRole('row', { name: /ip_block.set/ }).waitFor()
        await expect.poll(() => page.getByRole('row').count()).toBe(3)
        await page.getByRole('button', { name: settingsStrings.audit.actors.system, exact: true }).click()
        await page.waitForURL(/by=system/)
        await page.getByText(settingsStrings.audit.noMatch).waitFor()
        await page.getByRole('link', { name: settingsStrings.audit.showAll, exact: true }).click()
        await page
          .getByRole('columnheader')
          .getByRole('button', { name: settingsStrings.audit.columns.action, exact: true })
          .click()
        await page.waitForURL(/sort=action/)
        await page
          .getByRole('columnheader', { name: settingsStrings.audit.columns.action, exact: true })
          .and(page.locator('[aria-sort]'))
          .waitFor()
      }))
  })
