// Guarantees: the logo of a site is found where the site declares it; a site that is unreachable or not allowed has
// none.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOutbound, type Outbound } from '#platform/outbound/client.ts'
import { parsePrivateHosts } from '#platform/outbound/policy.ts'
import { longestPiece, maxPieceMs } from '../../testing/event-loop.ts'
import { declaredIcon, findSiteIcon } from './site-icon.ts'

describe('declared icons', () => {
  const page = new URL('https://acme.example/home')
  it.each([
    ['<link rel="icon" href="/i.png">', 'https://acme.example/i.png'],
    ["<LINK href='i.svg' REL='shortcut icon'>", 'https://acme.example/i.svg'],
    ['<link rel=icon href=//cdn.example/i.png>', 'https://cdn.example/i.png'],
    ['<link rel="icon" href="/a"><link rel="apple-touch-icon" href="/b">', 'https://acme.example/b'],
    ['<meta property="og:image" content="/o.png">', 'https://acme.example/o.png'],
    ['<meta property="og:image" content="/o.png"><link rel="icon" href="/i">', 'https://acme.example/i'],
    ['<meta name="description" content="/o.png">', null],
    ['<link rel="stylesheet" href="/icon.css">', null],
    ['<link rel="icon" href="data:image/png;base64,AAAA">', null],
    ['<link rel="icon" href="javascript:alert(1)">', null],
    ['<link rel="icon" href="http://plain.example/i.png">', null],
    ['<link rel="icon">', null],
    ['', null],
  ])('%s → %s', (html, icon) => {
    expect(declaredIcon(html, page)).toBe(icon)
  })
})

describe('looking a site up', () => {
  let html: string | null = ''
  let hasFavicon = false
  const site = createServer((request, response) => {
    if (request.url === '/favicon.ico' && hasFavicon) response.setHeader('content-type', 'image/png').end('png')
    else if (request.url === '/' && html !== null) response.setHeader('content-type', 'text/html').end(html)
    else response.writeHead(404).end()
  })
  let url = ''
  let outbound: Outbound
  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`
    outbound = createOutbound({ allow: parsePrivateHosts('').allow, loopbackAllowed: true, ownPorts: [] })
  })
  afterAll(async () => {
    await outbound.close()
    await new Promise((resolve) => site.close(resolve))
  })

  it('takes what the page declares', async () => {
    html = '<link rel="icon" href="/logo.png">'
    expect(await findSiteIcon(outbound, url)).toBe(`${url}/logo.png`)
  })

  it('falls back to the usual place, also when the page cannot be read', async () => {
    hasFavicon = true
    html = '<p>no icon</p>'
    expect(await findSiteIcon(outbound, url)).toBe(`${url}/favicon.ico`)
    html = null
    expect(await findSiteIcon(outbound, url)).toBe(`${url}/favicon.ico`)
  })

  it('is empty when there is none, and for an address that may not be reached', async () => {
    hasFavicon = false
    expect(await findSiteIcon(outbound, url)).toBe('')
    expect(await findSiteIcon(outbound, 'https://10.0.0.1')).toBe('')
  })
})

describe('a hostile page', () => {
  const page = new URL('https://acme.example/')
  it.each([
    ['beginnings of links', '<link '.repeat(80_000)],
    ['beginnings of links before one end', `${'<link '.repeat(80_000)}>`],
    ['short links', '<link rel=x>'.repeat(40_000)],
    ['one long link', `<link ${'rel '.repeat(120_000)}>`],
    ['white space', `<link rel${' '.repeat(500_000)}>`],
  ])('of %s keeps nobody waiting', async (_, html) => {
    expect(await longestPiece(async () => declaredIcon(html, page))).toBeLessThan(maxPieceMs)
    expect(declaredIcon(html, page)).toBe(null)
  })
})
