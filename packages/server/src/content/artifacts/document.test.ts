// Guarantees: markdown is shown as a page. A text that takes too long to render is shown as source, without delaying
// other requests. Adding the theme to a page takes linear time, whatever its content.
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../../testing/world.ts'
import { fromHtml } from './document.ts'
import { givenArtifact } from './testing/given.ts'

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const rendered = async (content: string) => {
  const { id } = await givenArtifact(world, 'member', { type: 'markdown', content })
  return world.call('member', `GET /artifacts/${id}/render`)
}
const takesForever = '_a*'.repeat(80_000)

it('is rendered as HTML', async () => {
  const page = await rendered('# One\n\n<b>two</b>')
  expect(page.status).toBe(200)
  expect(page.text).toContain('<h1>One</h1>\n<p><b>two</b></p>')
})

it.each([
  ['nested too deeply', '>'.repeat(100_000)],
  ['with marks that may all pair with each other', takesForever],
  ['with more links than memory allows', `[a]: /${'x'.repeat(100_000)}\n\n${'[a]'.repeat(50_000)}`],
])('a text %s is shown as source', async (_what, content) => {
  const page = await rendered(content)
  expect(page.status).toBe(200)
  expect(page.text).toContain('<body><pre>')
})

it('while one text takes too long, others are answered, and workspaces are served in turn', async () => {
  const { id } = await givenArtifact(world, 'stranger', { type: 'markdown', content: '# Next' })
  const ended: string[] = []
  const pages = ['a', 'b', 'c'].map(async (mark) => {
    const { text } = await rendered(`${mark} ${takesForever}`)
    ended.push(mark)
    return text
  })
  await setTimeout(1_000)
  expect((await world.call('stranger', 'GET /artifacts')).status).toBe(200)
  expect(ended).toEqual([])
  expect((await world.call('stranger', `GET /artifacts/${id}/render`)).text).toContain('<h1>Next</h1>')
  expect(ended.length).toBeLessThan(3)
  for (const text of await Promise.all(pages)) expect(text).toContain('<body><pre>')
})

it.each([
  ['<html><head lang="en"><title>x</title></head>', '<html><head lang="en"><meta name="color-scheme"'],
  ['<HEAD>\n</HEAD>', '<HEAD><meta name="color-scheme"'],
  ['<header>x</header>', '<header>x</header>'],
])('the theme is added to the head of %s', (page, begins) => {
  expect(fromHtml(page, 'dark').slice(0, begins.length)).toBe(begins)
})

it('a page of unclosed head tags does not block others', () => {
  const page = '<head '.repeat(5_000_000)
  expect(fromHtml(page, 'dark') === page).toBe(true)
  // Scanning each of them to its end would take twice as long.
}, 8_000)
