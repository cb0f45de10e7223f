// Guarantees: every tab of the console works in the workspace of its own address. A write never lands in the workspace of another
// tab, a link opens the workspace that it names, and a person who is not a member gets an explanation.
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { strings as settingsStrings } from '../packages/web/src/settings/strings.ts'
import { strings as shellStrings } from '../packages/web/src/shell/strings.ts'
import { hasBrowser } from './support/browser.ts'
import { type ConsoleWorld, listenForFaults, signInColleague, startConsole } from './support/console.ts'

type Team = { id: string; name: string }
type Secrets = { items: { key: string }[] }

describe.skipIf(!hasBrowser)('workspaces in tabs', () => {
  let world: ConsoleWorld
  let context: BrowserContext
  let own: Team
  beforeAll(async () => {
    world = await startConsole()
    own = ((await world.call('GET', '/me')) as { team: Team }).team
    context = await world.browser.newContext({ storageState: await world.state() })
  })
  afterAll(async () => {
    await context?.close()
    await world?.close()
  })

  const openTab = async (path: string) => {
    const page = await context.newPage()
    await page.goto(`${world.server.url}/console${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    return page
  }
  const createWorkspace = async (page: Page, name: string) => {
    await page.getByLabel(settingsStrings.workspace.newName, { exact: true }).fill(name)
    await page.getByRole('button', { name: settingsStrings.workspace.create, exact: true }).click()
    await page.getByRole('button', { name: `Workspace ${name}`, exact: true }).waitFor()
  }
  const keysIn = async ({ id }: Team) => {
    const answer = await context.request.get(`${world.server.url}/secrets`, { headers: { 'x-team-id': id } })
    return ((await answer.json()) as { data: Secrets }).data.items.map(({ key }) => key)
  }
  const workspaceNamed = async (wanted: string): Promise<Team> => {
    const found = ((await world.call('GET', '/teams')) as Team[]).find(({ name }) => name === wanted)
    if (!found) throw new Error(`${wanted} was not created`)
    return found
  }

  it('stores a secret in the workspace of the tab, not in the one that another tab opened later', async () => {
    const first = await openTab('/secrets')
    const second = await openTab('/settings/workspace')
    await createWorkspace(second, 'Lower mill')
    await first.getByRole('button', { name: 'New secret', exact: true }).first().click()
    await first.getByLabel('Name', { exact: true }).fill('UPPER_TOKEN')
    await first.getByLabel('Value', { exact: true }).fill('grist')
    await first.getByRole('button', { name: 'Store', exact: true }).click()
    await expect.poll(() => first.getByRole('dialog').count()).toBe(0)
    expect([await keysIn(own), await keysIn(await workspaceNamed('Lower mill'))]).toEqual([['UPPER_TOKEN'], []])
    await first.getByRole('cell', { name: 'UPPER_TOKEN', exact: true }).waitFor()
    await first.close()
    await second.close()
  })

  it('keeps the workspace of each tab through a reload, a link and Back', async () => {
    const lower = await workspaceNamed('Lower mill')
    const first = await openTab(`/${own.id}/runs`)
    const second = await openTab(`/${lower.id}/runs`)
    for (const [page, team] of [
      [first, own],
      [second, lower],
    ] as const) {
      await page.reload()
      await page.getByRole('link', { name: 'Flows', exact: true }).first().click()
      await page.waitForURL(`**/console/${team.id}/flows`)
      await page.goBack()
      await page.waitForURL(`**/console/${team.id}/runs`)
      await page.getByRole('button', { name: `Workspace ${team.name}`, exact: true }).waitFor()
      await page.close()
    }
  })

  it('opens the last workspace for an address without one, and adds it to the address', async () => {
    const lower = await workspaceNamed('Lower mill')
    await (await openTab(`/${lower.id}/secrets`)).close()
    const page = await openTab('/runs?status=failed')
    await page.waitForURL(`**/console/${lower.id}/runs?status=failed`)
    await page.getByRole('button', { name: 'Workspace Lower mill', exact: true }).waitFor()
    await page.close()
  })

  it('explains it to a person who is not a member, and links to their own workspaces', async () => {
    const colleague = await signInColleague(world)
    const lower = await workspaceNamed('Lower mill')
    const theirs = await world.browser.newContext()
    try {
      const page = await theirs.newPage()
      await page.goto(colleague.sign_in_url)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL(/\/console/)
      const faults = listenForFaults(page, [403])
      await page.goto(`${world.server.url}/console/${lower.id}/secrets`)
      await page.getByRole('heading', { name: shellStrings.closedWorkspace.title, exact: true }).waitFor()
      expect(await world.violations(page)).toEqual([])
      await page.getByRole('link', { name: own.name, exact: true }).click()
      await page.getByRole('button', { name: `Workspace ${own.name}`, exact: true }).waitFor()
      expect(faults).toEqual([])
    } finally {
      await theirs.close()
    }
  })
})
