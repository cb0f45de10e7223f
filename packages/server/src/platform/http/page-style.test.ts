// Guarantees: the pages use the colors of the console in both themes, and their content security policy permits no
// other style and no script.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { page, pageHeaders } from './html.ts'
import { pageColours } from './page-style.ts'

const sheet = await readFile(new URL('../../../../web/src/styles.css', import.meta.url), 'utf8')

it.each([
  ['light', ':root'],
  ['dark', '.dark'],
] as const)('%s is the console’s', (theme, selector) => {
  const from = sheet.indexOf(`\n${selector} {`)
  const block = sheet.slice(from, sheet.indexOf('}', from))
  const told = Object.fromEntries([...block.matchAll(/--([\w-]+): (#\w+);/g)].map(([, name, value]) => [name, value]))
  expect(told).toMatchObject(pageColours[theme])
})

it('the policy permits only the style of the page', () => {
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page('Sign in', '<h1>Sign in</h1>')) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  const policy = pageHeaders['content-security-policy']
  expect(policy).toContain(`style-src 'sha256-${hash}'`)
  expect(policy).not.toMatch(/unsafe|script-src|https?:/)
})
