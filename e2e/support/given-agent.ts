// What a person clicks to make an agent with a tool that asks first; for stories of the console and for its pictures.
import type { Page } from 'playwright-core'

/** From the list of agents; ends on the page of the agent, named Miller, once it is saved. */
export const givenAgent = async (page: Page, task: string): Promise<void> => {
  await page.getByRole('button', { name: 'New agent', exact: true }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Miller')
  await page.getByLabel('What it is to do', { exact: true }).fill(task)
  await page.getByRole('button', { name: 'Create the agent', exact: true }).click()
  await page.getByRole('button', { name: 'Add a tool', exact: true }).click()
  await page.getByRole('menuitem', { name: 'App', exact: true }).click()
  await page.getByLabel('App', { exact: true }).fill('word-count')
  await page.getByRole('option', { name: /millrace\/word-count/ }).click()
  await page.getByLabel('Name for the model', { exact: true }).fill('count')
  await page.getByLabel('Ask a person before each use', { exact: true }).check()
  await page.getByRole('button', { name: 'Save as a new version', exact: true }).click()
  await page.getByText('As saved').waitFor()
}
