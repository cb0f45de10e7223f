// Templates: a flow is created from a template with its example input, and runs without further settings.
import { describe, expect, it } from 'vitest'
import { strings as flows } from '../../packages/web/src/flows/strings.ts'
import { strings } from '../../packages/web/src/templates/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'

export const templateStories = (world: () => ConsoleWorld) =>
  describe('templates', () => {
    it('creates a flow that runs with its example, and draws its lines', async () => {
      await world().appsInstalled()
      await world().visit('/flows', async (page) => {
        await page.getByRole('button', { name: strings.open, exact: true }).first().click()
        await page.getByRole('button', { name: strings.use('Reading report'), exact: true }).click()
        await page.waitForURL(/\/flows\/[0-9a-z]{26}$/)
        const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
        await node('page').waitFor()
        await expect.poll(() => page.locator('.react-flow__edge').count()).toBe(8)
        await world().picture(page, 'template')
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await page.getByRole('button', { name: flows.editor.start, exact: true }).click()
        await page.waitForURL(/run=/)
        await node('page').getByText('completed').waitFor({ state: 'attached' })
        await page.getByText('words: 6').waitFor()
      })
    })
  })
