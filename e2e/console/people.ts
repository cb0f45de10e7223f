// People: the first person names the workspace and invites a second one, who joins with the printed mail; a person who
// was removed from a workspace sees the reason and opens another one.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addressIn, workspaceIn } from '../../packages/web/src/api/workspace-address.ts'
import { strings as home } from '../../packages/web/src/home/strings.ts'
import { strings as settingsStrings } from '../../packages/web/src/settings/strings.ts'
import { strings as shell } from '../../packages/web/src/shell/strings.ts'
import { wrongWith } from '../support/axe.ts'
import { type ConsoleWorld, listenForFaults } from '../support/console.ts'
import type { ServerProcess } from '../support/server.ts'

const email = 'grace@mill.example'

const signInByMail = async (page: Page, server: ServerProcess, email: string): Promise<void> => {
  const before = server.mailCount(email)
  await page.getByLabel('Email address', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Send me a code', exact: true }).click()
  const code = await server.mailPart(email, /code[^\n]*: (\d{6})/, before)
  await page.getByLabel('Six-digit code', { exact: true }).fill(code)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

export const peopleStories = (world: () => ConsoleWorld) =>
  describe('people', () => {
    it('asks a new person for a name, which the workspace then has', () =>
      world().visit('/', async (page) => {
        await page.getByLabel('Your name', { exact: true }).fill('Ada Lovelace')
        await page.getByLabel(home.welcome.workspaceName, { exact: true }).fill('Ada’s mill')
        await expect.poll(() => page.getByLabel(home.welcome.namespace, { exact: true }).inputValue()).toBe('adas-mill')
        await page.getByRole('button', { name: home.welcome.submit, exact: true }).click()
        await page.getByRole('heading', { name: 'Hello, Ada Lovelace', exact: true }).waitFor()
        await page.getByRole('button', { name: 'Workspace Ada’s mill', exact: true }).waitFor()
        await expect.poll(() => page.getByLabel(home.welcome.namespace, { exact: true }).count()).toBe(0)
      }))

    it('creates a workspace for a team at the welcome, where a person joins with the copied link', async () => {
      const { server, browser } = world()
      const contexts = await Promise.all([browser.newContext(), browser.newContext()])
      await contexts[0].grantPermissions(['clipboard-read', 'clipboard-write'])
      try {
        const [page, guest] = [await contexts[0].newPage(), await contexts[1].newPage()]
        const faults = [listenForFaults(page), listenForFaults(guest)]
        await page.goto(`${server.url}/sign-in?redirect_to=/console`)
        await signInByMail(page, server, 'hopper@mill.example')
        await page.getByRole('radio', { name: home.welcome.uses.team.title, exact: true }).check()
        await page.getByLabel(home.welcome.workspaceName, { exact: true }).fill('Upper mill')
        await page.getByRole('button', { name: home.welcome.submit, exact: true }).click()
        await page.waitForURL(/\/settings\/people$/)
        await page.getByRole('button', { name: settingsStrings.people.invite, exact: true }).click()
        await page.getByLabel('Email address', { exact: true }).fill('joan@mill.example')
        await page.getByRole('button', { name: settingsStrings.invite.submit, exact: true }).click()
        await page
          .getByRole('button', { name: settingsStrings.people.copyLink('joan@mill.example'), exact: true })
          .click()
        const link = await page.evaluate<string>('navigator.clipboard.readText()')
        await guest.goto(link)
        await signInByMail(guest, server, 'joan@mill.example')
        await guest.getByRole('button', { name: 'Accept', exact: true }).click()
        await guest.getByRole('link', { name: 'Continue', exact: true }).click()
        await guest.getByRole('button', { name: 'Workspace Upper mill', exact: true }).waitFor()
        const teamId = workspaceIn(new URL(page.url()).pathname)
        await page.goto(`${server.url}${addressIn(teamId, '/settings/workspace')}`)
        const visibility = page.getByLabel(settingsStrings.workspace.defaultVisibility, { exact: true })
        await expect.poll(() => visibility.inputValue()).toBe('team')
        expect(faults).toEqual([[], []])
      } finally {
        await Promise.all(contexts.map((context) => context.close()))
      }
    })

    it('creates a workspace, invites a person who joins, and removes the member', async () => {
      const owner = await world().browser.newContext({ storageState: await world().state() })
      const guest = await world().browser.newContext()
      const steps = { context: owner }
      try {
        let teamId = ''
        await world().visit(
          '/settings/workspace',
          async (page) => {
            await page.getByLabel(settingsStrings.workspace.newName, { exact: true }).fill('Lower mill')
            await page.getByRole('button', { name: settingsStrings.workspace.create, exact: true }).click()
            await page.getByRole('button', { name: 'Workspace Lower mill', exact: true }).waitFor()
            teamId = workspaceIn(new URL(page.url()).pathname)
            await page.goto(`${world().server.url}${addressIn(teamId, '/settings/people')}`)
            await page.getByRole('button', { name: 'Invite', exact: true }).click()
            await page.getByLabel('Email address', { exact: true }).fill(email)
            await page.getByRole('button', { name: settingsStrings.invite.submit, exact: true }).click()
            await page.getByRole('heading', { name: settingsStrings.people.pendingInvites, exact: true }).waitFor()
          },
          steps,
        )
        const page = await guest.newPage()
        const faults = listenForFaults(page)
        await page.goto(await world().server.mailPart(email, /(http\S+\/invite\?\S+)/))
        expect(await wrongWith(page)).toEqual([])
        await page.getByRole('link', { name: 'Sign in', exact: true }).click()
        await signInByMail(page, world().server, email)
        await page.getByRole('button', { name: 'Accept', exact: true }).waitFor()
        expect(await wrongWith(page)).toEqual([])
        await page.getByRole('button', { name: 'Accept', exact: true }).click()
        await page.getByRole('link', { name: 'Continue', exact: true }).click()
        await page.getByRole('button', { name: 'Workspace Lower mill', exact: true }).waitFor()
        const members = (await world().call('GET', `/teams/${teamId}/members`)) as { user_id: string; role: string }[]
        const joined = members.find(({ role }) => role === 'member')
        await world().call('DELETE', `/teams/${teamId}/members/${joined?.user_id}`)
        expect(faults).toEqual([])
        const closed = listenForFaults(page, [403])
        await page.reload()
        await page.getByRole('heading', { name: shell.closedWorkspace.title, exact: true }).waitFor()
        await page.getByRole('link', { name: 'grace', exact: true }).click()
        await page.getByRole('button', { name: 'Workspace grace', exact: true }).waitFor()
        expect(closed).toEqual([])
      } finally {
        await Promise.all([owner.close(), guest.close()])
      }
    })
  })
