// A person uploads files, views one, finds it by its type, and deletes it.
import { expect, it } from 'vitest'
import type { ConsoleWorld } from '../support/console.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

export const fileStories = (world: () => ConsoleWorld) =>
  it('uploads files, views one, finds it by its type, and deletes it after its name is typed', () =>
    world().visit('/files', async (page) => {
      await page.getByLabel('Files to upload', { exact: true }).setInputFiles([
        { name: 'grain.png', mimeType: 'image/png', buffer: pixel },
        { name: 'sacks.csv', mimeType: 'text/csv', buffer: Buffer.from('kind,sacks\nrye,3\n') },
      ])
      await page.getByRole('row', { name: /sacks.csv/ }).click()
      await page.getByText('rye,3').waitFor()
      expect(await world().violations(page)).toEqual([])
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Pictures', exact: true }).click()
      await expect.poll(() => page.getByRole('row', { name: /sacks.csv/ }).count()).toBe(0)
      expect(new URL(page.url()).search).toBe('?kind=image')
      await page.getByRole('row', { name: /grain.png/ }).click()
      await page.getByRole('img', { name: 'grain.png', exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Delete grain.png', exact: true }).click()
      await page.getByRole('dialog', { name: 'Delete grain.png?', exact: true }).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('No file matches').waitFor()
      expect(await world().violations(page)).toEqual([])
      await page.getByRole('link', { name: 'Show all', exact: true }).click()
      await page.getByRole('row', { name: /sacks.csv/ }).waitFor()
    }))
