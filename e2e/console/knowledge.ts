// A person creates an entry, changes it, resolves a conflict with another person's change, restores a version, and
// finds it by search.
import { describe, expect, it } from 'vitest'
import { strings as artifacts } from '../../packages/web/src/artifacts/strings.ts'
import { strings as knowledge } from '../../packages/web/src/knowledge/strings.ts'
import { strings as projects } from '../../packages/web/src/projects/strings.ts'
import { strings as search } from '../../packages/web/src/search/strings.ts'
import { visibilityLabels, visibilityStrings } from '../../packages/web/src/shell/visibility.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'

export const knowledgeStories = (world: () => ConsoleWorld) =>
  describe('knowledge, search, artifacts and projects', () => {
    it('creates an entry, shows a conflict on saving, and restores the first version', () =>
      world().visit(
        '/knowledge',
        async (page) => {
          await page.getByRole('button', { name: knowledge.newEntry, exact: true }).first().click()
          await page.getByLabel(knowledge.form.name, { exact: true }).fill('grinding-stones')
          await page.getByLabel(knowledge.form.description, { exact: true }).fill('How millstones are dressed')
          await page.getByLabel(knowledge.form.text, { exact: true }).fill('Dress them every **two** weeks.')
          await page.getByRole('button', { name: knowledge.form.create, exact: true }).click()
          await page.locator('strong', { hasText: 'two' }).waitFor()
          await page.getByRole('button', { name: knowledge.entry.edit, exact: true }).click()
          const id = new URL(page.url()).pathname.split('/').at(-1)
          await world().call('POST', `/knowledge/${id}`, {
            version: { content: { content: 'Dress them every three weeks.' } },
          })
          await page.getByLabel(knowledge.editor.notes, { exact: true }).fill('shorter')
          await page.getByLabel(knowledge.editor.text, { exact: true }).fill('Dress them every week.')
          await page.getByRole('button', { name: knowledge.editor.save, exact: true }).click()
          await page.getByText(knowledge.editor.conflictTitle).waitFor()
          expect(await world().violations(page)).toEqual([])
          await page.getByRole('button', { name: knowledge.editor.saveMine, exact: true }).click()
          await page.getByRole('tab', { name: knowledge.entry.tabs.versions, exact: true }).click()
          await page.getByRole('button', { name: /create/ }).click()
          await page.getByRole('button', { name: knowledge.versions.restore, exact: true }).click()
          await page
            .getByText(/Restored/)
            .first()
            .waitFor()
          await page.getByRole('tab', { name: knowledge.entry.tabs.text, exact: true }).click()
          await page.locator('strong', { hasText: 'two' }).waitFor()
          await page.getByRole('tab', { name: knowledge.entry.tabs.references, exact: true }).click()
          await page.getByText(knowledge.references.noneFrom).waitFor()
        },
        { expected: [412] },
      ))

    it('draws the graph of references and opens an entry from it', async () => {
      const { team } = (await world().call('GET', '/me')) as { team: { username: string } }
      const write = async (name: string, content: string) =>
        (await world().call('POST', '/knowledge', {
          name,
          description: `About ${name}`,
          version: { content: { path: `${name}.md`, content } },
        })) as { id: string }
      await write('grain', 'Grain comes in sacks.')
      const flour = await write('flour', `Made of \`${team.username}/grain\`.`)
      await write('bread', `Made of \`${team.username}/flour\`.`)
      await world().visit(`/knowledge/${flour.id}`, async (page) => {
        await page.getByRole('tab', { name: knowledge.entry.tabs.references, exact: true }).click()
        const graph = page.getByRole('region', { name: knowledge.references.graph, exact: true })
        for (const name of ['grain', 'flour', 'bread']) await graph.getByText(`${team.username}/${name}`).waitFor()
        await expect.poll(() => graph.locator('.react-flow__edge').count()).toBe(2)
        expect(await world().violations(page)).toEqual([])
        await graph.getByText(`${team.username}/bread`).click()
        await page.getByRole('heading', { name: 'bread', exact: true }).waitFor()
      })
    })

    it('finds an entry on the search page', () =>
      world().visit('/search', async (page) => {
        await page.getByLabel(search.field, { exact: true }).fill('millstones')
        await page.waitForURL(/q=millstones/)
        await page.getByRole('link', { name: /grinding-stones/ }).click()
        await page.getByRole('heading', { name: 'grinding-stones', exact: true }).waitFor()
      }))

    it('finds a word of the text, with its passage, on both pages', () =>
      world().visit('/knowledge?type=concept', async (page) => {
        await page.getByLabel(knowledge.search, { exact: true }).fill('week')
        const found = page.getByRole('list', { name: knowledge.results, exact: true })
        await found.getByRole('link', { name: /grinding-stones.*Dress them every two weeks/ }).waitFor()
        expect(await found.locator('mark').allTextContents()).toEqual(['weeks'])
        expect(await world().violations(page)).toEqual([])
        // The URL contains the whole state: a reload shows the same.
        expect(new URL(page.url()).search).toBe('?type=concept&q=week')
        await page.goto(page.url().replace('/knowledge?type=concept&', '/search?kind=knowledge&'))
        await page.locator('mark', { hasText: 'weeks' }).waitFor()
        await page.getByRole('button', { name: search.collections.flows, exact: true }).click()
        await page.getByText(search.noResults('week')).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('link', { name: search.searchEverything, exact: true }).click()
        await page.getByRole('link', { name: /grinding-stones/ }).click()
        await page.getByRole('heading', { name: 'grinding-stones', exact: true }).waitFor()
      }))

    it('shows an artifact in an isolated frame', async () => {
      const made = (await world().call('POST', '/artifacts', {
        title: 'Yield',
        type: 'html',
        content: '<p id="said"></p><script>said.textContent = "drawn " + origin</script>',
      })) as { id: string }
      await world().visit(`/artifacts/${made.id}`, async (page) => {
        await page.frameLocator('iframe').getByText('drawn null').waitFor()
        await page.getByRole('heading', { name: artifacts.page.versions, exact: true }).waitFor()
      })
    })

    it('publishes a document, shares it, and publishes the next version', () =>
      world().visit('/artifacts', async (page) => {
        await page.getByRole('button', { name: artifacts.publish.publish, exact: true }).first().click()
        await page.getByLabel(artifacts.publish.name, { exact: true }).fill('Harvest')
        await page.getByLabel(artifacts.publish.content, { exact: true }).fill('Three **sacks**.')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('dialog').getByRole('button', { name: artifacts.publish.title, exact: true }).click()
        await page.frameLocator('iframe').locator('strong', { hasText: 'sacks' }).waitFor()
        await page.getByLabel(visibilityStrings.label, { exact: true }).selectOption('team')
        await page.getByRole('button', { name: artifacts.page.newVersion, exact: true }).click()
        await page.getByLabel(artifacts.publish.content, { exact: true }).fill('Four **bags**.')
        await page.getByRole('button', { name: artifacts.publish.publishVersion, exact: true }).click()
        await page.frameLocator('iframe').locator('strong', { hasText: 'bags' }).waitFor()
        await page.goto(page.url().replace(/artifacts.*/, 'artifacts?visibility=team'))
        await page.getByRole('row', { name: /Harvest/ }).waitFor()
        await page.getByRole('button', { name: artifacts.kinds.html, exact: true }).click()
        await page.getByText(uiStrings.noResults).waitFor()
      }))

    it('shares an entry with the workspace and duplicates it', () =>
      world().visit('/knowledge?q=millstones', async (page) => {
        await page.getByRole('link', { name: /grinding-stones/ }).click()
        await page.getByLabel(visibilityStrings.label, { exact: true }).selectOption('team')
        await page.getByText(`· ${visibilityLabels.team}`).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: knowledge.entry.duplicate, exact: true }).click()
        await page.getByText(/^Duplicated as/).waitFor()
        await page.getByText(`· ${visibilityLabels.private}`).waitFor()
        // The stream reports entries that are created by another client.
        await page.getByRole('link', { name: knowledge.title, exact: true }).last().click()
        await page
          .getByRole('row', { name: /grinding-stones/ })
          .first()
          .waitFor()
        const version = { content: { path: 'chaff.md', content: 'Chaff is light.' } }
        await world().call('POST', '/knowledge', { name: 'chaff', description: 'Husks of grain', version })
        await page.getByRole('row', { name: /chaff/ }).waitFor()
      }))

    it('creates a project', () =>
      world().visit('/projects', async (page) => {
        await page.getByRole('button', { name: projects.newProject, exact: true }).first().click()
        await page.getByLabel(projects.name, { exact: true }).fill('Autumn harvest')
        await page.getByRole('button', { name: projects.create, exact: true }).click()
        await page.getByRole('heading', { name: 'Autumn harvest', exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
      }))
  })
