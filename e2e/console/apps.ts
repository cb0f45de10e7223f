// Apps: a copy is viewed, deployed, run, put into maintenance and priced; a run is shared and deleted. Staff have
// confirmed their sign-in before.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ZipFile } from 'yazl'
import { strings as apps } from '../../packages/web/src/apps/strings.ts'
import { strings as form } from '../../packages/web/src/forms/strings.ts'
import { strings as runs } from '../../packages/web/src/runs/strings.ts'
import { visibilityLabels, visibilityStrings } from '../../packages/web/src/shell/visibility.ts'
import { strings as store } from '../../packages/web/src/store/strings.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'

type Declared = {
  title: string
  description: string
  version: { resources: { ram: number }; functions: Record<string, unknown> }
}

const licenseText = 'Take what you need, and leave the stones.\n'

/** The code of a bundled app with another manifest and a license. */
const zipped = async (manifest: string): Promise<Buffer> => {
  const folder = fileURLToPath(new URL('../../apps/word-count/', import.meta.url))
  const zip = new ZipFile()
  zip.addBuffer(Buffer.from(manifest), 'inf.yml')
  zip.addBuffer(Buffer.from(licenseText), 'LICENSE')
  for (const name of ['functions_schema.json', 'inference.py']) zip.addBuffer(await readFile(join(folder, name)), name)
  zip.end()
  return buffer(zip.outputStream)
}

type StoredApp = { id: string; version_id: string; version: { repository: string } }

export const appStories = (world: () => ConsoleWorld) =>
  describe('apps', () => {
    it('shows an app that was deployed by another client without a reload', () =>
      world().visit('/apps', async (page) => {
        await page.getByRole('link', { name: /Word count/ }).waitFor()
        const version = { repository: 'https://bundles.example.com/app.zip', kernel: 'node-22' }
        await world().call('POST', '/apps', { name: 'hopper', title: 'Hopper', version })
        await page.getByRole('link', { name: /Hopper/ }).waitFor()
      }))

    it('duplicates an app, reads its code, deploys it again, and puts it into maintenance', () =>
      world().visit('/apps/millrace/word-count', async (page) => {
        await page.getByRole('button', { name: apps.page.duplicate, exact: true }).click()
        await page.getByText(apps.page.duplicated(''), { exact: false }).waitFor()
        await page.waitForURL((url) => !url.pathname.includes('/millrace/'))
        const ref = new URL(page.url()).pathname.replace(/^\/console\/[^/]+/, '')
        const held = async () => (await world().call('GET', ref)) as StoredApp
        const first = await held()
        await page
          .getByRole('region', { name: apps.api.code('curl'), exact: true })
          .getByText(apps.api.keyPlaceholder)
          .waitFor()
        await page.getByRole('tab', { name: 'Code', exact: true }).click()
        const files = page.getByRole('list', { name: apps.code.files, exact: true })
        await files.getByRole('button', { name: /inf\.yml/ }).click()
        await page
          .getByLabel(apps.code.fileCode('inf.yml'), { exact: true })
          .getByText(/word-count/)
          .first()
          .waitFor()
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('tab', { name: 'Versions', exact: true }).click()
        const buffer = Buffer.from(await (await fetch(first.version.repository)).arrayBuffer())
        const bundle = page.getByLabel(apps.deploy.bundle, { exact: true })
        await bundle.setInputFiles({
          name: 'no.zip',
          mimeType: 'application/zip',
          buffer: Buffer.from('no zip at all'),
        })
        await page.getByText(apps.code.notZip).waitFor()
        await bundle.setInputFiles({ name: 'again.zip', mimeType: 'application/zip', buffer })
        await page.getByText(/^Version .* Make it current to use it$/).waitFor()
        expect((await held()).version_id).toBe(first.version_id)
        await page.getByRole('button', { name: apps.versions.makeCurrent, exact: true }).click()
        await expect.poll(async () => (await held()).version_id).not.toBe(first.version_id)
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('tab', { name: 'Run', exact: true }).click()
        await page.getByLabel('Text', { exact: true }).fill('four words of code')
        await page.getByRole('button', { name: 'Run', exact: true }).click()
        await page.getByText('Completed').first().waitFor()
        await page.getByRole('tab', { name: 'Settings', exact: true }).click()
        await page.getByLabel('Status', { exact: true }).selectOption('maintenance')
        await page.getByLabel(apps.settings.message, { exact: true }).fill('The stones are dressed')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: apps.settings.changeStatus, exact: true }).click()
        await page.getByText('The stones are dressed', { exact: true }).waitFor()
      }))

    it('deploys what the manifest of a zip archive declares, and accepts its license', async () => {
      const original = (await world().call('GET', '/apps/millrace/word-count')) as StoredApp
      const copy = (await world().call('POST', `/apps/${original.id}/duplicate`)) as StoredApp & {
        namespace: string
        name: string
      }
      await world().visit(
        `/apps/${copy.namespace}/${copy.name}?tab=versions`,
        async (page) => {
          const bundle = page.getByLabel(apps.deploy.bundle, { exact: true })
          const choose = async (manifest: string) =>
            bundle.setInputFiles({ name: 'a.zip', mimeType: 'application/zip', buffer: await zipped(manifest) })
          await choose('name: word-count\nkernel: cobol-85')
          await page.getByRole('alert').getByText(apps.deploy.unknownKernel('cobol-85')).waitFor()
          await page.getByRole('checkbox', { name: new RegExp(apps.deploy.staged) }).uncheck()
          await choose('name: word-count\ntitle: Tally\ndescription: Counts sacks\nresources: { ram: 64mb }')
          await page.getByText(apps.deploy.nameKept('word-count', copy.name)).waitFor()
          await page.getByRole('heading', { name: 'Tally', exact: true }).waitFor()
          const { title, description, version } = (await world().call('GET', `/apps/${copy.id}`)) as Declared
          expect({ title, description, ram: version.resources.ram, functions: Object.keys(version.functions) }).toEqual(
            {
              title: 'Tally',
              description: 'Counts sacks',
              ram: 64e6,
              functions: ['run'],
            },
          )
          await page
            .getByRole('tablist', { name: apps.page.sections, exact: true })
            .getByRole('tab', { name: 'Code', exact: true })
            .click()
          await page.getByText(apps.license.notAccepted, { exact: true }).waitFor()
          expect(await world().violations(page)).toEqual([])
          await page.getByRole('button', { name: apps.license.accept, exact: true }).click()
          await page.getByText(apps.license.accepted, { exact: true }).waitFor()
          const { license } = (await world().call('GET', `/apps/${copy.id}/license`)) as { license: string }
          expect(license).toBe(licenseText)
          expect(await world().violations(page)).toEqual([])
        },
        // The license is not accepted yet.
        { expected: [404] },
      )
    })

    it('prices a public app and offers it in the store', async () => {
      const version = { repository: 'https://bundles.example.com/app.zip', kernel: 'node-22' }
      const app = (await world().call('POST', '/apps', { name: 'priced', version })) as StoredApp & {
        namespace: string
      }
      await world().call('POST', `/apps/${app.id}/visibility`, { visibility: 'public' })
      await world().visit(
        `/apps/${app.namespace}/priced?tab=Settings`,
        async (page) => {
          await page.getByRole('button', { name: store.listing.show, exact: true }).click()
          await page.getByLabel(store.pricing.prices, { exact: true }).fill('{"sack": 5}')
          await page
            .getByLabel(store.pricing.expressions.inference_expression, { exact: true })
            .fill('prices.sack * nobody')
          await page.getByRole('button', { name: store.pricing.save, exact: true }).click()
          await page.getByText(/nobody is not one of/).waitFor()
          await page.getByLabel(store.pricing.expressions.inference_expression, { exact: true }).fill('prices.sack * 2')
          await page.getByRole('button', { name: store.pricing.save, exact: true }).click()
          await page.getByText(store.pricing.saved).waitFor()
          await page.getByRole('button', { name: store.listing.submit, exact: true }).click()
          await page.getByText(store.listing.submitted, { exact: true }).waitFor()
          await page.getByLabel(store.listing.rank, { exact: true }).fill('7')
          await page.getByRole('button', { name: store.listing.save, exact: true }).click()
          await page.getByText(store.listing.saved, { exact: true }).waitFor()
          expect(await world().violations(page)).toEqual([])
          await page.getByRole('button', { name: store.listing.remove, exact: true }).click()
          await page.getByRole('dialog').getByRole('button', { name: store.listing.remove, exact: true }).click()
          await page.getByRole('button', { name: store.listing.add, exact: true }).waitFor()
          const { inference_expression, prices } = (await world().call(
            'GET',
            `/store/apps/${app.id}/pricing`,
          )) as Record<string, unknown>
          expect({ inference_expression, prices }).toEqual({
            inference_expression: 'prices.sack * 2',
            prices: { sack: 5 },
          })
        },
        { expected: [400] },
      )
    })

    it('shows the expected cost while the form is filled in, and nothing for an app without a price', async () => {
      const input_schema = { type: 'object', properties: { sacks: { type: 'integer', title: 'Sacks' } } }
      const functions = { run: { name: 'run', kind: 'run', input_schema, output_schema: {} } }
      const version = { repository: 'https://bundles.example.com/app.zip', kernel: 'node-22', functions }
      const app = (await world().call('POST', '/apps', { name: 'scales', version })) as StoredApp & {
        namespace: string
      }
      await world().call('PUT', `/store/apps/${app.id}/pricing`, {
        prices: { sack: 2_000_000 },
        inference_expression: 'prices.sack * task_inputs.sacks',
        description: '2 cents a sack',
      })
      await world().visit(
        `/apps/${app.namespace}/scales`,
        async (page) => {
          await page.getByText('2 cents a sack').waitFor()
          await page.getByLabel('Sacks', { exact: true }).fill('3')
          await page.getByText(`${apps.estimate.exact('$0.06')} · 2 cents a sack`).waitFor()
          expect(await world().violations(page)).toEqual([])
          await page.route(/\/estimate$/, (route) => route.fulfill({ status: 500, body: '{}' }))
          await page.getByLabel('Sacks', { exact: true }).fill('4')
          await page.waitForResponse(/\/estimate$/)
          expect(await page.getByRole('button', { name: 'Run', exact: true }).isEnabled()).toBe(true)
        },
        { expected: [500] },
      )
      await world().visit('/apps/millrace/echo', async (page) => {
        await page.waitForResponse(/\/estimate$/)
        await expect.poll(() => page.getByRole('status').filter({ hasText: 'Cost:' }).count()).toBe(0)
      })
    })

    it('keeps every file of a list through parallel uploads, a removal and a typed URL', async () => {
      const items = { type: 'string', format: 'file' }
      const input_schema = { type: 'object', properties: { images: { type: 'array', title: 'Image', items } } }
      const functions = { run: { name: 'run', kind: 'run', input_schema, output_schema: {} } }
      const version = { repository: 'https://bundles.example.com/app.zip', kernel: 'node-22', functions }
      const app = (await world().call('POST', '/apps', { name: 'album', version })) as StoredApp & { namespace: string }
      await world().visit(`/apps/${app.namespace}/album`, async (page) => {
        const list = page.getByRole('group', { name: 'Image', exact: true })
        const code = page.getByRole('region', { name: apps.api.code('curl'), exact: true })
        const add = list.getByRole('button', { name: form.addItem, exact: true })
        const choose = (index: number, name: string) =>
          list
            .locator('input[type=file]')
            .nth(index)
            .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) })
        await add.click()
        await add.click()
        // The upload of the first file ends after that of the second.
        const isSecondDone = Promise.withResolvers<void>()
        let uploads = 0
        await page.route(
          (url) => url.pathname.startsWith('/media/') || url.pathname.startsWith('/uploads/'),
          async (route) => {
            uploads += 1
            if (uploads === 1) await isSecondDone.promise
            await route.continue()
          },
        )
        await choose(0, 'first.txt')
        await expect.poll(() => uploads).toBe(1)
        await choose(1, 'second.txt')
        await list.getByText('second.txt', { exact: true }).waitFor()
        isSecondDone.resolve()
        await list.getByText('first.txt', { exact: true }).waitFor()
        const images = async () => JSON.parse(/"images":(\[.*?\])/.exec((await code.textContent()) ?? '')?.[1] ?? '[]')
        const [, second] = await images()
        expect(await images()).toEqual([expect.stringContaining('http'), expect.stringContaining('http')])
        await list.getByRole('button', { name: uiStrings.removeThing('Image 1'), exact: true }).click()
        await expect.poll(() => list.getByText('first.txt', { exact: true }).count()).toBe(0)
        await list.getByText('second.txt', { exact: true }).waitFor()
        await expect.poll(images).toEqual([second])
        await add.click()
        await list.getByPlaceholder(form.file.url).pressSequentially('https://files.example.com/a.png')
        await expect.poll(images).toEqual([second, 'https://files.example.com/a.png'])
        expect(await world().violations(page)).toEqual([])
      })
    })

    it('shares a run by link, shows who started it, and deletes it', async () => {
      const run = (await world().call('POST', '/run', {
        app: 'millrace/echo',
        wait: true,
        input: { hello: 'twice' },
      })) as {
        id: string
      }
      await world().visit(`/runs/${run.id}`, async (page) => {
        await page.getByText(runs.authority.kinds.starter, { exact: true }).nth(1).waitFor()
        await page
          .getByLabel(visibilityStrings.label, { exact: true })
          .selectOption({ label: visibilityLabels.unlisted })
        await page.getByText(visibilityStrings.changed('unlisted'), { exact: true }).waitFor()
        expect(((await world().call('GET', `/tasks/${run.id}`)) as { visibility: string }).visibility).toBe('unlisted')
        expect(await world().violations(page)).toEqual([])
        await page.getByRole('button', { name: runs.facts.delete, exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: runs.facts.delete, exact: true }).click()
        await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
        await expect(world().call('GET', `/tasks/${run.id}`)).rejects.toThrow()
      })
    })
  })
