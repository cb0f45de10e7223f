// Dragging a card by its title: its edges follow, and it stays where it is dropped.
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

const byX = 60
const byY = 40

/** Positions of the visible edge ends on the screen. An SVG without a size is not rendered. */
const endsOfLines = `[...document.querySelectorAll('.react-flow__edge-path')]
  .filter((path) => path.ownerSVGElement.getBoundingClientRect().width > 0)
  .filter((path) => getComputedStyle(path).visibility !== 'hidden')
  .map((path) => path.getPointAtLength(path.getTotalLength()).matrixTransform(path.getScreenCTM()))
  .map(({ x, y }) => ({ x, y }))`

/** Distance in pixels between a port and the nearest edge end. */
const gapToLine = async (page: Page, port: Locator): Promise<number> => {
  const box = await port.boundingBox()
  if (!box) throw new Error('The port is not in view')
  const ends = (await page.evaluate(endsOfLines)) as { x: number; y: number }[]
  return Math.min(...ends.map(({ x, y }) => Math.hypot(x - box.x, y - (box.y + box.height / 2))))
}

const place = async (card: Locator): Promise<{ x: number; y: number }> => {
  const box = await card.boundingBox()
  if (!box) throw new Error('The card is not in view')
  return box
}

export const dragsWithItsLines = async (page: Page, card: Locator, port: Locator): Promise<void> => {
  const before = await place(card)
  const wayFrom = async () => {
    const { x, y } = await place(card)
    return Math.hypot(x - before.x - byX, y - before.y - byY)
  }
  const grip = { x: before.x + 40, y: before.y + 8 }
  await page.mouse.move(grip.x, grip.y)
  await page.mouse.down()
  // Small movements do not start a drag; the distance counts from here.
  await page.mouse.move(grip.x + 2, grip.y + 2)
  await page.mouse.move(grip.x + byX, grip.y + byY)
  await expect.poll(wayFrom).toBeLessThan(4)
  expect(await gapToLine(page, port), 'during the drag').toBeLessThan(2)
  const saved = page.waitForResponse((response) => response.url().endsWith('/actions') && response.ok())
  await page.mouse.up()
  await saved
  expect(await wayFrom()).toBeLessThan(4)
  expect(await gapToLine(page, port), 'after the card was released').toBeLessThan(2)
  expect(await page.locator('.drag-sheet, .drag-overlay').count()).toBe(0)
  expect(await card.evaluate((element) => element.getAnimations().length)).toBe(0)
}
