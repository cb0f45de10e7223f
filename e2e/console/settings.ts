// Settings: a failed webhook is found, explained and sent again; its secrets overlap during a change; a budget is
// changed; a workspace is joined without a mail, and archived after its name is typed.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressIn, workspaceIn } from '../../packages/web/src/api/workspace-address.ts'
import { strings as home } from '../../packages/web/src/home/strings.ts'
import { strings as money } from '../../packages/web/src/money/strings.ts'
import { strings as settingsStrings } from '../../packages/web/src/settings/strings.ts'
import { type ConsoleWorld, listenForFaults } from '../support/console.ts'

const email = 'joan@mill.example'

export const settingsStories = (world: () => ConsoleWorld) =>
  describe('settings', () => {
    let receiver: Server
    let status = 410
    const signatures: string[] = []
    beforeAll(async () => {
      receiver = createServer((request, response) => {
        signatures.push(String(request.headers['webhook-signature'] ?? ''))
        response.writeHead(status).end()
      })
      await once(receiver.listen(0, '127.0.0.1'), 'listening')
    })
    afterAll(() => {
      receiver.close()
    })

    it('shows why a webhook is parked, signs with two secrets for a while, and sends it again', async () => {
      const webhook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
      await world().call('POST', '/run', { app: 'millrace/word-count', wait: true, input: { text: 'a b' }, webhook })
      await world().visit('/webhooks', async (page) => {
        const row = page.getByRole('row').filter({ hasText: webhook })
        await row.getByText(/^parked: The receiver answered 410 Gone/).waitFor()
        await page.getByText(settingsStrings.signing.unsigned).waitFor()
        await page.getByRole('button', { name: settingsStrings.signing.enable, exact: true }).click()
        await page
          .getByRole('dialog')
          .getByRole('button', { name: settingsStrings.signing.enable, exact: true })
          .click()
        await page.getByText('signed', { exact: true }).waitFor()
        await page.getByRole('button', { name: settingsStrings.signing.rotate, exact: true }).click()
        await page
          .getByRole('dialog')
          .getByRole('button', { name: settingsStrings.signing.rotate, exact: true })
          .click()
        await page.getByText(settingsStrings.signing.twoSecrets, { exact: true }).waitFor()
        status = 200
        await row.focus()
        await page.keyboard.press('Enter')
        await page.getByRole('button', { name: 'Send again', exact: true }).click()
        await page.getByRole('dialog').getByText('delivered', { exact: true }).waitFor()
        // The first was sent unsigned, the second with one signature per secret.
        expect(signatures.map((text) => text.split(' ').filter(Boolean).length)).toEqual([0, 2])
        expect(await world().violations(page)).toEqual([])
        await page.keyboard.press('Escape')
        await row.getByText('delivered', { exact: true }).waitFor()
        await page.getByRole('button', { name: settingsStrings.signing.removePrevious, exact: true }).click()
        await page
          .getByRole('dialog')
          .getByRole('button', { name: settingsStrings.signing.removePrevious, exact: true })
          .click()
        await page.getByText(settingsStrings.signing.twoSecrets, { exact: true }).waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'failed', exact: true }).click()
        await page.getByText(settingsStrings.webhooks.noMatch, { exact: true }).waitFor()
        expect(page.url()).toMatch(/status=failed/)
        await world().call('DELETE', '/secrets/WEBHOOK_SIGNING_SECRET')
      })
    })

    it('changes a budget, and sorts and filters transactions by address', () =>
      world().visit('/settings/money?type=refund&sort=amount:asc', async (page) => {
        await page.getByRole('button', { name: money.kinds.refund, exact: true, pressed: true }).waitFor()
        await page.getByRole('button', { name: money.budgets.new, exact: true }).click()
        await page.getByLabel(money.budget.limit, { exact: true }).fill('25')
        await page.getByRole('button', { name: money.budget.create, exact: true }).click()
        await page
          .getByRole('button', { name: money.budgets.editOf(money.budget.subjects.workspace), exact: true })
          .click()
        const amount = page.getByLabel(money.budget.limit, { exact: true })
        expect(await amount.inputValue()).toBe('25')
        await amount.fill('30.5')
        await page.getByLabel(money.budget.enforcement, { exact: true }).selectOption({ label: money.budget.warn })
        await page.getByRole('button', { name: money.budget.save, exact: true }).click()
        await page.getByText('of $30.50 per month', { exact: false }).waitFor()
        await page.getByText(money.budgets.warns, { exact: true }).waitFor()
        await page
          .getByRole('button', { name: money.budgets.removeOf(money.budget.subjects.workspace), exact: true })
          .click()
        await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
        await page.getByText(money.budgets.none).waitFor()
      }))

    it('navigates between the rows of a table and their buttons by keyboard', async () => {
      for (const name of ['aa one', 'aa two']) await world().call('POST', '/apikeys', { name })
      await world().visit('/settings/keys?sort=name:asc', async (page) => {
        const revoke = (name: string) =>
          page.getByRole('button', { name: settingsStrings.apiKeys.revokeThing(name), exact: true })
        await revoke('aa one').focus()
        await page.keyboard.press('ArrowDown')
        expect(await revoke('aa two').evaluate((button) => button.matches(':focus'))).toBe(true)
        await page.keyboard.press('Enter')
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
        await revoke('aa two').waitFor({ state: 'detached' })
      })
    })

    it('adds the workspace’s own service, which can be connected, and deletes it', () =>
      world().visit('/settings/services', async (page) => {
        await page.getByRole('button', { name: settingsStrings.services.add, exact: true }).first().click()
        await page.getByLabel('Name', { exact: true }).fill('Grain exchange')
        await page
          .getByLabel(settingsStrings.services.method, { exact: true })
          .selectOption({ label: settingsStrings.services.methods.bearer })
        await page.getByRole('dialog').getByRole('button', { name: settingsStrings.services.add, exact: true }).click()
        await page
          .getByRole('button', { name: settingsStrings.services.editThing('Grain exchange'), exact: true })
          .click()
        await page.getByLabel('Name', { exact: true }).fill('Corn exchange')
        await page.getByRole('button', { name: 'Save', exact: true }).click()
        const row = page.getByRole('listitem').filter({ hasText: 'Corn exchange' })
        await row.getByText('grain-exchange', { exact: true }).waitFor()
        await row.getByText(settingsStrings.services.methods.bearer, { exact: true }).waitFor()
        await row.getByRole('button', { name: 'Delete Corn exchange', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
        await page.getByText(settingsStrings.services.empty, { exact: true }).waitFor()
      }))

    it('lets a person join without a mail, and archives the workspace after its name is typed', async () => {
      const owner = await world().browser.newContext({ storageState: await world().state() })
      const guest = await world().browser.newContext()
      const { url, mailCount, mailPart } = world().server
      try {
        await world().visit(
          '/settings/workspace',
          async (page) => {
            await page.getByLabel(settingsStrings.workspace.newName, { exact: true }).fill('Tide mill')
            await page.getByRole('button', { name: settingsStrings.workspace.create, exact: true }).click()
            await page.getByRole('button', { name: 'Workspace Tide mill', exact: true }).waitFor()
            await page.goto(`${url}${addressIn(workspaceIn(new URL(page.url()).pathname), '/settings/people')}`)
            await page.getByRole('button', { name: 'Invite', exact: true }).click()
            await page.getByLabel('Email address', { exact: true }).fill(email)
            await page.getByRole('button', { name: settingsStrings.invite.submit, exact: true }).click()
            await page.getByText(settingsStrings.people.inviteHint, { exact: false }).waitFor()

            const theirs = await guest.newPage()
            const faults = listenForFaults(theirs)
            await theirs.goto(`${url}/sign-in`)
            const before = mailCount(email)
            await theirs.getByLabel('Email address', { exact: true }).fill(email)
            await theirs.getByRole('button', { name: 'Send me a code', exact: true }).click()
            const code = await mailPart(email, /code[^\n]*: (\d{6})/, before)
            await theirs.getByLabel('Six-digit code', { exact: true }).fill(code)
            await theirs.getByRole('button', { name: 'Sign in', exact: true }).click()
            await theirs.getByRole('link', { name: home.invited('Tide mill'), exact: true }).click()
            await theirs
              .getByRole('button', { name: settingsStrings.myInvites.joinThing('Tide mill'), exact: true })
              .click()
            await theirs.getByRole('button', { name: 'Workspace Tide mill', exact: true }).waitFor()
            expect(faults).toEqual([])

            await page.reload()
            // A toast is a list item too, but not in the main region.
            const member = page.getByRole('main').getByRole('listitem').filter({ hasText: email })
            await member.getByRole('button', { name: 'Remove', exact: true }).click()
            await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
            await member.waitFor({ state: 'detached' })
            await page.getByRole('button', { name: 'Invite', exact: true }).click()
            await page.getByLabel('Email address', { exact: true }).fill(email)
            await page.getByRole('button', { name: settingsStrings.invite.addNow, exact: true }).click()
            await member.waitFor()

            await page.goto(`${url}/console/settings/workspace`)
            await page.getByRole('button', { name: settingsStrings.archive.submit, exact: true }).click()
            await page.getByLabel(settingsStrings.archive.confirmLabel('tide-mill'), { exact: true }).fill('tide')
            const submit = page
              .getByRole('dialog')
              .getByRole('button', { name: settingsStrings.archive.submit, exact: true })
            expect(await submit.isDisabled()).toBe(true)
            await page.getByLabel(settingsStrings.archive.confirmLabel('tide-mill'), { exact: true }).fill('tide-mill')
            await submit.click()
            await page.getByRole('button', { name: 'Workspace Tide mill', exact: true }).waitFor({ state: 'detached' })
          },
          { context: owner },
        )
      } finally {
        await Promise.all([owner.close(), guest.close()])
      }
    })
  })
