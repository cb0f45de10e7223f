// People: the first one names the workspace, invites a second, who joins by the printed mail and finds themselves in it;
// and whoever is put out of a workspace comes back to their own.
import { describe, expect, it } from 'vitest'
import { type ConsoleWorld, listenForFaults } from '../support/console.ts'

const email = 'grace@mill.example'

export const peopleStories = (world: () => ConsoleWorld) =>
  describe('people', () => {
    it('asks a newcomer for a name, which the workspace then has', () =>
      world().visit('/', async (page) => {
        await page.getByLabel('Your name').fill('Ada Lovelace')
        await page.getByLabel('Name of your workspace').fill('Ada’s mill')
        expect(await page.getByLabel('Its namespace').inputValue()).toBe('adas-mill')
        await page.getByRole('button', { name: 'Set up the workspace' }).click()
        await page.getByRole('heading', { name: 'Hello, Ada Lovelace' }).waitFor()
        await page.getByRole('button', { name: 'Workspace Ada’s mill' }).waitFor()
        expect(await page.getByLabel('Its namespace').count()).toBe(0)
      }))

    it('makes a workspace, invites somebody who joins, and takes them out again', async () => {
      const owner = await world().browser.newContext({ storageState: await world().state() })
      const guest = await world().browser.newContext()
      const steps = { context: owner }
      try {
        let teamId = ''
        await world().visit(
          '/settings/workspace',
          async (page) => {
            await page.getByLabel('Name of the new workspace').fill('Lower mill')
            await page.getByRole('button', { name: 'Create' }).click()
            await page.getByRole('button', { name: 'Workspace Lower mill' }).waitFor()
            teamId = (await page.evaluate(() => localStorage.getItem('millrace.workspace'))) ?? ''
            await page.goto(`${world().server.url}/console/settings/people`)
            await page.getByRole('button', { name: 'Invite' }).click()
            await page.getByLabel('E-mail address').fill(email)
            await page.getByRole('button', { name: 'Send the invite' }).click()
            await page.getByRole('heading', { name: 'Invites that wait' }).waitFor()
          },
          steps,
        )
        const page = await guest.newPage()
        const faults = listenForFaults(page)
        await page.goto(await world().server.mailPart(email, /(http\S+\/invite\?\S+)/))
        const before = world().server.mailCount(email)
        await page.getByRole('link', { name: 'Sign in', exact: true }).click()
        await page.getByLabel('E-mail address').fill(email)
        await page.getByRole('button', { name: 'Send me a code' }).click()
        const code = await world().server.mailPart(email, /code[^\n]*: (\d{6})/, before)
        await page.getByLabel('Six-digit code').fill(code)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        await page.getByRole('button', { name: 'Accept' }).click()
        await page.getByRole('link', { name: 'Go on' }).click()
        await page.getByRole('button', { name: 'Workspace Lower mill' }).waitFor()
        const members = (await world().call('GET', `/teams/${teamId}/members`)) as { user_id: string; role: string }[]
        const joined = members.find(({ role }) => role === 'member')
        await world().call('DELETE', `/teams/${teamId}/members/${joined?.user_id}`)
        expect(faults).toEqual([])
        await page.reload()
        await page.getByRole('button', { name: 'Workspace grace' }).waitFor()
      } finally {
        await Promise.all([owner.close(), guest.close()])
      }
    })
  })
