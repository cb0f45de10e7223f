// Edits of a flow: saved when a field is left, by keyboard too, and never undone past the start of a new flow.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { strings as flows } from '../../packages/web/src/flows/strings.ts'
import { strings as knowledge } from '../../packages/web/src/knowledge/strings.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'

type Row = { id: string }
type Node = { id: string; position: { x: number; y: number } }
type StoredFlow = { nodes: Node[]; node_data: Record<string, { utility?: { expression?: string } }> }

const card = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
const add = (id: string, type: string, x: number) => ({
  type: 'node.add',
  payload: { id, type, position: { x, y: 0 } },
})

export const flowEditingStories = (world: () => ConsoleWorld) =>
  describe('a flow that is edited', () => {
    const held = async (id: string) => (await world().call('GET', `/flows/${id}`)) as StoredFlow
    const create = async (name: string): Promise<string> => {
      const { id } = (await world().call('POST', '/flows', { name })) as Row
      await world().call('POST', `/flows/${id}/actions`, {
        actions: [add('sieve', 'utility', 0), add('bin', 'merge', 400)],
      })
      return id
    }

    it('saves an expression when another node is selected', async () => {
      const id = await create('left-open')
      await world().visit(`/flows/${id}`, async (page) => {
        await card(page, 'sieve').click()
        await page.getByLabel(flows.utility.expression, { exact: true }).fill('input.rye')
        await card(page, 'bin').click()
        await expect.poll(async () => (await held(id)).node_data.sieve?.utility?.expression).toBe('input.rye')
      })
    })

    it('saves a card that is moved by keyboard', async () => {
      const id = await create('moved-by-keys')
      const positionOf = async () => (await held(id)).nodes.find((node) => node.id === 'bin')?.position
      await world().visit(`/flows/${id}`, async (page) => {
        await card(page, 'bin').click()
        await card(page, 'bin').press('ArrowRight')
        await expect.poll(async () => (await positionOf())?.x).toBeGreaterThan(400)
      })
    })

    it('does not undo the input and output of a new flow', () =>
      world().visit('/flows', async (page) => {
        await page.getByRole('button', { name: flows.newFlow, exact: true }).first().click()
        await card(page, 'input').waitFor()
        await page.getByRole('button', { name: flows.editor.undo, exact: true }).click()
        await page.getByText(flows.editor.refused, { exact: true }).waitFor()
        await card(page, 'input').waitFor()
        await card(page, 'output').click()
        expect(await page.getByRole('button', { name: flows.node.remove('output'), exact: true }).count()).toBe(0)
      }))

    it('keeps the unsaved text of an entry until it is discarded', async () => {
      const version = { content: { path: 'husk.md', content: 'Husks are light.' } }
      const body = { name: 'husk', description: 'Husks', version }
      const { id } = (await world().call('POST', '/knowledge', body)) as Row
      await world().visit(`/knowledge/${id}`, async (page) => {
        const text = page.getByLabel(knowledge.editor.text, { exact: true })
        const dialog = page.getByRole('dialog', { name: uiStrings.discardTitle, exact: true })
        await page.getByRole('button', { name: knowledge.entry.edit, exact: true }).click()
        await text.fill('Husks float.')
        await page.getByRole('link', { name: flows.title, exact: true }).click()
        await dialog.getByRole('button', { name: uiStrings.cancel, exact: true }).click()
        await page.getByRole('button', { name: knowledge.editor.cancel, exact: true }).click()
        await dialog.getByRole('button', { name: uiStrings.cancel, exact: true }).click()
        expect(await text.textContent()).toBe('Husks float.')
        await page.getByRole('button', { name: knowledge.editor.save, exact: true }).click()
        await page.getByRole('button', { name: knowledge.entry.edit, exact: true }).waitFor()
        await page.getByText('Husks float.', { exact: true }).waitFor()
      })
    })
  })
