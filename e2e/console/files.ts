// A person uploads files, views one, finds it by its type, and deletes it.
import { expect, it } from 'vitest'
import { strings as files } from '../../packages/web/src/files/strings.ts'
import { uiStrings } from '../../packages/web/src/ui/strings.ts'
import type { ConsoleWorld } from '../support/console.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export const fileStories = (world: () => ConsoleWorld) =>
  it('uploads files, previews one, filters by type, and deletes one by name', () =>
    world().visit('/files', async (page) => {
      await page.getByLabel(files.filesToUpload, { exact: true }).setInputFiles([
        { name: 'grain.png', mimeType: 'image/png', buffer: pixel },
        { name: 'sacks.csv', mimeType: 'text/csv', buffer: Buffer.from('kind,sacks\nrye,3\n') },
      ])
      await page.getByRole('row', { name: /sacks.csv/ }).click()
      await page.getByText('rye,3').waitFor()
      expect(await world().violations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: files.kinds.image, exact: true }).click()
      await expect.poll(() => page.getByRole('row', { name: /sacks.csv/ }).count()).toBe(0)
      expect(new URL(page.url()).search).toBe('?kind=image')
      await page.getByRole('row', { name: /grain.png/ }).click()
      await page.getByRole('img', { name: 'grain.png', exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: files.delete('grain.png'), exact: true }).click()
      await page.getByRole('dialog', { name: files.deleteTitle('grain.png'), exact: true }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: files.deleteConfirm, exact: true }).click()
      await page.getByText(uiStrings.noResults).waitFor()
      expect(await world().violations(page)).toEqual([])
      await page.getByRole('link', { name: files.showAll, exact: true }).click()
      await page.getByRole('row', { name: /sacks.csv/ }).waitFor()
    }))
