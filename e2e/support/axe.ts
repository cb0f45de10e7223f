// What axe finds wrong with a page, and whether the page is wider than the screen it is shown on.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

export type Violation = { id: string; impact: string; help: string; nodes: string[] }

/** Colours on their way are nobody's choice; what turns for ever is not waited for. */
export const settled = `Promise.allSettled(
  document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
    .map((one) => one.finished),
).then(() => {})`

/** Looking takes a second or two, in which a notice may begin to fade: what comes or goes meanwhile does so at once. */
const still = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }')
  document.adoptedStyleSheets.push(sheet)
}`
const moving = 'void document.adoptedStyleSheets.pop()'

let script: Promise<string> | undefined

export const violationsOf = async (page: Page): Promise<Violation[]> => {
  script ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // Past the policy of the page, which rightly lets no such script in. Half a megabyte, so once a page.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await script)
  await page.evaluate(settled)
  await page.evaluate(still)
  const violations = await look(page)
  await page.evaluate(moving)
  return violations
}

const look = (page: Page): Promise<Violation[]> =>
  page.evaluate(async () => {
    type Found = { id: string; impact: string; help: string; nodes: { html: string }[] }
    const { axe: checker } = globalThis as unknown as {
      axe: { run(options: object): Promise<{ violations: Found[] }> }
    }
    // Of WCAG 2.2, and off unless it is asked for.
    const rules = { 'target-size': { enabled: true } }
    const { violations } = await checker.run({ resultTypes: ['violations'], rules })
    return violations.map(({ id, impact, help, nodes }) => ({
      id,
      impact,
      help,
      nodes: nodes.map(({ html }) => html.slice(0, 200)),
    }))
  })

/** How many pixels a page is wider than its screen, or than the part of it that scrolls. */
export const widerThanScreen = (page: Page): Promise<number> =>
  page.evaluate(
    `Math.max(...[document.documentElement, document.querySelector('#main')].map((part) => part ? part.scrollWidth - part.clientWidth : 0))`,
  )

const narrowest = { width: 360, height: 800 }

/** What is wrong with a page that needs no script, in either theme and on the narrowest screen; nothing when all is well. */
export const wrongWith = async (page: Page): Promise<object[]> => {
  const found: object[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await violationsOf(page)).map((violation) => ({ colorScheme, ...violation })))
  }
  const before = page.viewportSize()
  await page.setViewportSize(narrowest)
  const wider = await widerThanScreen(page)
  if (wider > 0) found.push({ wider, url: page.url() })
  if (before) await page.setViewportSize(before)
  return found
}
