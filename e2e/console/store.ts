// The store: public apps and skills, browsed by text, tag, category and featured items, each with its page. Staff have
// confirmed their sign-in before.
import { describe, expect, it } from 'vitest'
import { strings as runs } from '../../packages/web/src/runs/strings.ts'
import { strings as shell } from '../../packages/web/src/shell/strings.ts'
import { strings as store } from '../../packages/web/src/store/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'

type Row = { id: string }

export const storeStories = (world: () => ConsoleWorld) =>
  describe('the store', () => {
    const publishApp = async (name: string, title: string, category: string): Promise<string> => {
      const version = { repository: 'https://bundles.example.com/app.zip', kernel: 'node-22' }
      const body = { name, title, category, tags: ['milling'], version }
      const { id } = (await world().call('POST', '/apps', body)) as Row
      await world().call('POST', `/apps/${id}/visibility`, { visibility: 'public' })
      return id
    }

    it('shows apps by rank, tag, category and words, and opens one', async () => {
      await publishApp('husker', 'Husker', 'audio')
      await publishApp('grinder', 'Grinder', 'audio')
      const sifter = await publishApp('sifter', 'Sifter', 'video')
      await world().call('POST', `/store/apps/${sifter}`, { is_featured: true, rank: 5 })
      await world().visit('/', async (page) => {
        await page.getByRole('link', { name: shell.navigation.apps, exact: true }).click()
        await page.getByRole('link', { name: shell.navigation.store, exact: true }).click()
        const items = page.getByRole('list', { name: store.apps, exact: true }).getByRole('listitem')
        await expect.poll(() => items.first().textContent()).toContain('Sifter')
        await page.getByRole('button', { name: 'Milling', exact: true }).click()
        await expect.poll(() => items.count()).toBe(3)
        await page.getByLabel(store.category, { exact: true }).selectOption('audio')
        await expect.poll(() => items.count()).toBe(2)
        await page.waitForURL(/category=audio/)
        await page.getByLabel(store.search, { exact: true }).fill('windmill')
        await page.getByText(store.noResults, { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: store.showAll, exact: true }).click()
        await page.getByRole('link', { name: /Word count/ }).waitFor()
        await page.getByRole('button', { name: store.featured, exact: true }).click()
        await expect.poll(() => items.count()).toBe(1)
        expect(await world().violations(page)).toEqual([])
        await items.getByRole('link', { name: /Sifter/ }).click()
        await page.getByRole('heading', { name: 'Sifter', exact: true }).waitFor()
      })
    })

    it.each([
      ['/store?category=toString&order=price&featured=perhaps', 'Store', /\/store\/apps\/list$/],
      ['/runs?status=bogus&since=9y&app=no%20id&sort=input:up', 'Runs', /\/tasks\/list$/],
      ['/flows?create=no&state=perhaps', 'Flows', /\/flows\/list$/],
    ])('ignores the invalid parameters of %s', async (address, heading, list) => {
      await world().visit('/', async (page) => {
        const asked: string[] = []
        page.on('request', (request) => asked.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`))
        const answered = page.waitForResponse(list)
        await page.goto(`${world().server.url}/console${address}`)
        await answered
        await page.getByRole('heading', { name: heading, exact: true }).waitFor()
        const calls = asked.filter((one) => one.startsWith('POST'))
        expect(calls.filter((one) => /toString|price|perhaps|bogus|9y|no id|"input"/.test(one))).toEqual([])
        expect(calls.filter((one) => one.includes('/actions'))).toEqual([])
        expect(await page.getByRole('button', { name: runs.removeFilter, exact: true }).count()).toBe(0)
      })
    })

    it('lists skills, and opens one', async () => {
      const body = { name: 'stone-dressing', description: 'How stones are dressed', instructions: '# Dressing' }
      const { id } = (await world().call('POST', '/skills', body)) as Row
      await world().call('POST', `/skills/${id}/visibility`, { visibility: 'public' })
      await world().visit('/store', async (page) => {
        await page.getByRole('tab', { name: 'Skills', exact: true }).click()
        await page.waitForURL(/kind=skills/)
        await page.getByRole('link', { name: /stone-dressing/ }).waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('link', { name: /stone-dressing/ }).click()
        await page.getByRole('heading', { name: 'stone-dressing', exact: true }).waitFor()
      })
    })
  })
