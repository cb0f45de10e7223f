// Finds something in a picker of the console by typing, and chooses it.
import type { Page } from 'playwright-core'

export const pick = async (page: Page, label: string, text: string): Promise<void> => {
  await page.getByRole('combobox', { name: label, exact: true }).fill(text)
  await page.getByRole('option').filter({ hasText: text }).first().click()
}
