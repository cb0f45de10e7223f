// Axe violations of a page, and whether the page is wider than its screen.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

export type Violation = { id: string; impact: string; help: string; nodes: string[] }

/** Waits for transitions to end; infinite animations are not awaited. */
export const settled = `Promise.allSettled(
  document.getAnimations()
    .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
    .map((one) => one.finished),
).then(() => {})`

/** The check takes a second or two, so animations are disabled: a toast must not fade meanwhile. */
const still = `{
  const sheet = new CSSStyleSheet()
  sheet.replaceSync('*, ::before, ::after { transition: none !important; animation: none !important }')
  document.adoptedStyleSheets.push(sheet)
}`
const moving = 'void document.adoptedStyleSheets.pop()'

let script: Promise<string> | undefined

export const violationsOf = async (page: Page): Promise<Violation[]> => {
  script ??= readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  // Injected past the page's content policy, once per page because of its size of half a megabyte.
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
    // Part of WCAG 2.2, but off by default.
    const rules = { 'target-size': { enabled: true } }
    const { violations } = await checker.run({ resultTypes: ['violations'], rules })
    return violations.map(({ id, impact, help, nodes }) => ({
      id,
      impact,
      help,
      nodes: nodes.map(({ html }) => html.slice(0, 200)),
    }))
  })

/** Pixels by which a page is wider than its screen or its scroll container. */
export const widerThanScreen = (page: Page): Promise<number> =>
  page.evaluate(
    `Math.max(...[document.documentElement, document.querySelector('#main')].map((part) => part ? part.scrollWidth - part.clientWidth : 0))`,
  )

const narrowest = { width: 360, height: 800 }

/** The faults of a page without scripts, in both themes and on the narrowest screen; empty if there are none. */
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
