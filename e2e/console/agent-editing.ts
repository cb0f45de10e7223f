// Unsaved changes of an agent: retained until they are discarded, never saved while invalid, and testable before they
// are saved.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { strings as agent } from '../../packages/web/src/agents/strings.ts'
import { strings as apps } from '../../packages/web/src/apps/strings.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'
import { startModelServer } from '../support/model-server.ts'

type Row = { id: string }
type Saved = { version_id: string; version: { system_prompt: string; core_app: { input?: unknown } } }

export const agentEditingStories = (world: () => ConsoleWorld) =>
  describe('an agent that is edited', () => {
    const create = async (name: string): Promise<string> => {
      const version = { system_prompt: 'Be brief.', core_app: { ref: 'millrace/openai-chat' } }
      return ((await world().call('POST', '/agents', { name, title: name, version })) as Row).id
    }
    const saved = async (id: string) => (await world().call('GET', `/agents/${id}`)) as Saved
    const prompt = (page: Page) => page.getByLabel(agent.editor.systemPrompt, { exact: true })
    const dialog = (page: Page) => page.getByRole('dialog', { name: uiStrings.discardTitle, exact: true })
    const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

    it('keeps unsaved instructions when another tab or page is opened, until they are discarded', async () => {
      const id = await create('guarded')
      await world().visit(`/agents/${id}`, async (page) => {
        await prompt(page).fill('Be thorough.')
        await page.getByRole('tab', { name: 'Versions', exact: true }).click()
        await dialog(page).waitFor()
        expect(await world().violations(page)).toEqual([])
        await press(page, uiStrings.cancel)
        await dialog(page).waitFor({ state: 'detached' })
        expect(await prompt(page).textContent()).toBe('Be thorough.')
        await page.getByRole('link', { name: 'Flows', exact: true }).click()
        await dialog(page).waitFor()
        await press(page, uiStrings.discardChanges)
        await page.getByRole('heading', { name: 'Flows', exact: true }).waitFor()
        await page.goBack()
        await expect.poll(() => prompt(page).textContent()).toBe('Be brief.')
      })
    })

    it('sets the secrets that its model requires in place', async () => {
      const version = { system_prompt: 'Be brief.', core_app: { ref: 'millrace/anthropic-chat' } }
      const { id } = (await world().call('POST', '/agents', { name: 'keyless', version })) as Row
      await world().visit(`/agents/${id}`, async (page) => {
        await page.getByText(agent.editor.requirements, { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByLabel(apps.run.secretValue('ANTHROPIC_API_KEY'), { exact: true }).fill('sk-grist')
        await page.keyboard.press('Enter')
        await page.getByText(agent.editor.requirements, { exact: true }).waitFor({ state: 'detached' })
        expect(((await world().call('GET', '/secrets/ANTHROPIC_API_KEY')) as { key: string }).key).toBe(
          'ANTHROPIC_API_KEY',
        )
      })
    })

    it('does not save invalid JSON, and leads to it', async () => {
      const id = await create('settled')
      const before = await saved(id)
      await world().visit(`/agents/${id}`, async (page) => {
        await prompt(page).fill('Be thorough.')
        await page.getByText(agent.editor.modelSettings, { exact: true }).click()
        const settings = page.getByLabel(agent.editor.modelSettings, { exact: true })
        await settings.fill('{"temperature": ')
        await page.getByText(uiStrings.invalidJson, { exact: true }).waitFor()
        await page.getByText(agent.editor.modelSettings, { exact: true }).click()
        await press(page, agent.editor.save)
        await expect.poll(() => settings.evaluate((element) => element.matches(':focus'))).toBe(true)
        expect(await world().violations(page)).toEqual([])
        expect((await saved(id)).version_id).toBe(before.version_id)
        await settings.fill('{"temperature": 0.5}')
        await press(page, agent.editor.save)
        await page.getByText(agent.editor.noChanges).waitFor()
        const { version } = await saved(id)
        expect(version).toMatchObject({ system_prompt: 'Be thorough.', core_app: { input: { temperature: 0.5 } } })
      })
    })

    it('keeps unsaved instructions when another member saves a version, and shows a warning', async () => {
      const id = await create('shared-edit')
      await world().visit(`/agents/${id}`, async (page) => {
        await prompt(page).fill('Be thorough.')
        const version = { system_prompt: 'Be quick.', core_app: { ref: 'millrace/openai-chat' } }
        await world().call('POST', `/agents/${id}`, { version })
        // Coming back to the window.
        await page.evaluate("dispatchEvent(new Event('visibilitychange'))")
        await page.getByText(agent.editor.outdated).waitFor()
        expect(await prompt(page).textContent()).toBe('Be thorough.')
        await press(page, agent.editor.save)
        await page.getByText(agent.editor.noChanges).waitFor()
        expect((await saved(id)).version.system_prompt).toBe('Be thorough.')
      })
    })

    it('tests the instructions on the screen, and says when the chat uses earlier ones', async () => {
      const model = await startModelServer((_role, _text, system) => ({ text: `Told: ${system}` }))
      try {
        await world().call('POST', '/secrets', { key: 'OPENAI_BASE_URL', value: model.url })
        const id = await create('tested')
        await world().visit(`/agents/${id}`, async (page) => {
          await prompt(page).fill('Be thorough.')
          await page.getByText(agent.test.unsaved, { exact: true }).waitFor()
          await page.getByLabel(agent.test.messageTo('tested'), { exact: true }).fill('hello')
          await page.keyboard.press('Enter')
          await page.getByText(/Told: .*Be thorough/).waitFor()
          await prompt(page).fill('Be very thorough.')
          await page.getByText(agent.test.earlier).waitFor()
          expect(await world().violations(page)).toEqual([])
          await press(page, agent.editor.save)
          await page.getByText(agent.editor.noChanges).waitFor()
        })
      } finally {
        await model.close()
      }
    })
  })
