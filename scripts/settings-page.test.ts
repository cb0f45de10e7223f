// Guarantees: the page of settings has every setting once, and a setting without a group fails the generator.
import { expect, it } from 'vitest'
import { settingTable } from '../packages/server/src/platform/settings/settings.ts'
import { settingsPage } from './settings-page.ts'

it('lists each setting with its default and description', () => {
  const page = settingsPage(settingTable)
  for (const [name, { meaning }] of Object.entries(settingTable)) {
    const rows = page.split('\n').filter((line) => line.startsWith(`| \`${name}\` |`))
    expect(rows).toEqual([expect.stringContaining(meaning)])
  }
  expect(page).toContain('| `PORT` | `7700` |')
})

it('refuses a setting that belongs to no group', () => {
  expect(() => settingsPage({ ...settingTable, NEW_SETTING: { meaning: 'New' } })).toThrow('NEW_SETTING has no group')
})

it('refuses a group that names a removed setting', () => {
  const { PORT: _, ...rest } = settingTable
  expect(() => settingsPage(rest)).toThrow('PORT does not exist')
})
