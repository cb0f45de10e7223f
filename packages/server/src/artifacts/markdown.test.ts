// Guards: markdown is shown as a page, and a text that takes too much to set is shown as it was written, while everybody
// else is answered.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createWorld, type World } from '../testing/world.ts'
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

it('is set as HTML', async () => {
  const page = await rendered('# One\n\n<b>two</b>')
  expect(page.status).toBe(200)
  expect(page.text).toContain('<h1>One</h1>\n<p><b>two</b></p>')
})

it.each([
  ['nested too deeply', '>'.repeat(100_000)],
  ['of marks that all may belong to each other', '_a*'.repeat(80_000)],
  ['of more links than there is memory', `[a]: /${'x'.repeat(100_000)}\n\n${'[a]'.repeat(50_000)}`],
])('a text %s is shown as it was written', async (_what, content) => {
  let done = false
  const page = rendered(content).finally(() => {
    done = true
  })
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  expect((await world.call(null, 'GET /scopes')).status).toBe(200)
  const begun = Date.now()
  for (let asked = 0; asked < 20 && !done; asked += 1) await world.call(null, 'GET /scopes')
  expect(Date.now() - begun).toBeLessThan(5_000)
  expect((await page).status).toBe(200)
  expect((await page).text).toContain('<body><pre>')
})
