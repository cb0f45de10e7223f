// A person creates an entry, changes it, resolves a conflict with another person's change, restores a version, and
// finds it by search.
import { describe, expect, it } from 'vitest'
import type { ConsoleWorld } from '../support/console.ts'

export const knowledgeStories = (world: () => ConsoleWorld) =>
  describe('knowledge, search, artifacts and projects', () => {
    it('writes an entry, is warned about a colleague’s change on saving, and restores the first version', () =>
      world().visit(
        '/knowledge',
        async (page) => {
          await page.getByRole('button', { name: 'New entry', exact: true }).first().click()
          await page.getByLabel('Name', { exact: true }).fill('grinding-stones')
          await page.getByLabel('What it is about', { exact: true }).fill('How millstones are dressed')
          await page.getByLabel('Text, in Markdown', { exact: true }).fill('Dress them every **two** weeks.')
          await page.getByRole('button', { name: 'Write it down', exact: true }).click()
          await page.locator('strong', { hasText: 'two' }).waitFor()
          await page.getByRole('button', { name: 'Edit', exact: true }).click()
          const id = new URL(page.url()).pathname.split('/').at(-1)
          await world().call('POST', `/knowledge/${id}`, {
            version: { content: { content: 'Dress them every three weeks.' } },
          })
          await page.getByLabel('What you changed', { exact: true }).fill('shorter')
          await page.getByLabel('Text', { exact: true }).fill('Dress them every week.')
          await page.getByRole('button', { name: 'Save as a new version', exact: true }).click()
          await page.getByText('Somebody has saved this entry').waitFor()
          expect(await world().violations(page)).toEqual([])
          await page.getByRole('button', { name: 'Save mine over it', exact: true }).click()
          await page.getByRole('tab', { name: 'Versions', exact: true }).click()
          await page.getByRole('button', { name: /create/ }).click()
          await page.getByRole('button', { name: 'Restore this', exact: true }).click()
          await page
            .getByText(/Restored/)
            .first()
            .waitFor()
          await page.getByRole('tab', { name: 'Text', exact: true }).click()
          await page.locator('strong', { hasText: 'two' }).waitFor()
          await page.getByRole('tab', { name: 'References', exact: true }).click()
          await page.getByText('Nothing refers to it.').waitFor()
        },
        { expected: [412] },
      ))

    it('draws the references between entries as links', async () => {
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
        await page.getByRole('tab', { name: 'References', exact: true }).click()
        const graph = page.getByRole('region', { name: 'Graph of references', exact: true })
        for (const name of ['grain', 'flour', 'bread']) await graph.getByText(`${team.username}/${name}`).waitFor()
        await expect.poll(() => graph.locator('.react-flow__edge').count()).toBe(2)
        expect(await world().violations(page)).toEqual([])
        await graph.getByText(`${team.username}/bread`).click()
        await page.getByRole('heading', { name: 'bread', exact: true }).waitFor()
      })
    })

    it('finds it with the search page', () =>
      world().visit('/search', async (page) => {
        await page.getByLabel('Search everything', { exact: true }).fill('millstones')
        await page.waitForURL(/q=millstones/)
        await page.getByRole('link', { name: /grinding-stones/ }).click()
        await page.getByRole('heading', { name: 'grinding-stones', exact: true }).waitFor()
      }))

    it('finds a word in the text, with the passage, on both pages', () =>
      world().visit('/knowledge?type=concept', async (page) => {
        await page.getByLabel('Search entries', { exact: true }).fill('week')
        const found = page.getByRole('list', { name: 'What was found', exact: true })
        await found.getByRole('link', { name: /grinding-stones.*Dress them every two weeks/ }).waitFor()
        expect(await found.locator('mark').allTextContents()).toEqual(['weeks'])
        expect(await world().violations(page)).toEqual([])
        // The URL contains the whole state: a reload shows the same.
        expect(new URL(page.url()).search).toBe('?type=concept&q=week')
        await page.goto(page.url().replace('/knowledge?type=concept&', '/search?kind=knowledge&'))
        await page.locator('mark', { hasText: 'weeks' }).waitFor()
        await page.getByRole('button', { name: 'Flows', exact: true }).click()
        await page.getByText('Nothing found for “week”').waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('link', { name: 'Search everything', exact: true }).click()
        await page.getByRole('link', { name: /grinding-stones/ }).click()
        await page.getByRole('heading', { name: 'grinding-stones', exact: true }).waitFor()
      }))

    it('shows an artifact in a frame without access to anything', async () => {
      const made = (await world().call('POST', '/artifacts', {
        title: 'Yield',
        type: 'html',
        content: '<p id="said"></p><script>said.textContent = "drawn " + origin</script>',
      })) as { id: string }
      await world().visit(`/artifacts/${made.id}`, async (page) => {
        await page.frameLocator('iframe').getByText('drawn null').waitFor()
        await page.getByRole('heading', { name: 'Versions', exact: true }).waitFor()
      })
    })

    it('publishes a document, shares it, and publishes the next version', () =>
      world().visit('/artifacts', async (page) => {
        await page.getByRole('button', { name: 'Publish', exact: true }).first().click()
        await page.getByLabel('Title', { exact: true }).fill('Harvest')
        await page.getByLabel('What it says', { exact: true }).fill('Three **sacks**.')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click()
        await page.frameLocator('iframe').locator('strong', { hasText: 'sacks' }).waitFor()
        await page.getByLabel('Who sees it', { exact: true }).selectOption('team')
        await page.getByRole('button', { name: 'New version', exact: true }).click()
        await page.getByLabel('What it says', { exact: true }).fill('Four **bags**.')
        await page.getByRole('button', { name: 'Publish as a new version', exact: true }).click()
        await page.frameLocator('iframe').locator('strong', { hasText: 'bags' }).waitFor()
        await page.goto(page.url().replace(/artifacts.*/, 'artifacts?visibility=team'))
        await page.getByRole('row', { name: /Harvest/ }).waitFor()
        await page.getByRole('button', { name: 'Pages', exact: true }).click()
        await page.getByText('No artifact matches').waitFor()
      }))

    it('shares an entry with the workspace, and makes a copy of it', () =>
      world().visit('/knowledge?q=millstones', async (page) => {
        await page.getByRole('link', { name: /grinding-stones/ }).click()
        await page.getByLabel('Who sees it', { exact: true }).selectOption('team')
        await page.getByText(/seen by: The workspace/).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: 'Duplicate', exact: true }).click()
        await page.getByText(/This is the copy/).waitFor()
        await page.getByText(/seen by: Only you/).waitFor()
        // Changes made elsewhere arrive on the stream.
        await page.getByRole('link', { name: 'Knowledge', exact: true }).last().click()
        await page
          .getByRole('row', { name: /grinding-stones/ })
          .first()
          .waitFor()
        const version = { content: { path: 'chaff.md', content: 'Chaff is light.' } }
        await world().call('POST', '/knowledge', { name: 'chaff', description: 'What flies away', version })
        await page.getByRole('row', { name: /chaff/ }).waitFor()
      }))

    it('makes a project', () =>
      world().visit('/projects', async (page) => {
        await page.getByRole('button', { name: 'New project', exact: true }).first().click()
        await page.getByLabel('Name', { exact: true }).fill('Autumn harvest')
        await page.getByRole('button', { name: 'Create the project', exact: true }).click()
        await page.getByRole('heading', { name: 'Autumn harvest', exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
      }))
  })
