// Creates an agent with a tool that requires approval by using the console.
import type { Page } from 'playwright-core'
import { strings as agent } from '../../packages/web/src/agents/strings.ts'

/** From the list of agents; ends on the page of the agent, named Miller, once it is saved. */
export const givenAgent = async (page: Page, task: string): Promise<void> => {
  await page.getByRole('button', { name: agent.newAgent, exact: true }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Miller')
  await page.getByLabel(agent.create.instructions, { exact: true }).fill(task)
  await page.getByRole('button', { name: agent.create.submit, exact: true }).click()
  await page.getByRole('button', { name: agent.tools.add, exact: true }).click()
  await page.getByRole('menuitem', { name: agent.tools.kinds.app, exact: true }).click()
  await page.getByLabel(agent.tools.app, { exact: true }).fill('word-count')
  await page.getByRole('option', { name: /millrace\/word-count/ }).click()
  await page.getByLabel(agent.tools.name, { exact: true }).fill('count')
  await page.getByLabel(agent.tools.requireApproval, { exact: true }).check()
  await page.getByRole('button', { name: agent.editor.save, exact: true }).click()
  await page.getByText(agent.editor.noChanges).waitFor()
}
