// A machine of a person's own: a terminal on it in the browser, as if one sat there, and how it went afterwards.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ConsoleWorld } from '../support/console.ts'
import { type RemoteProcess, startRemote } from '../support/remote.ts'

export const machineStories = (world: () => ConsoleWorld) =>
  describe('machines of one’s own', () => {
    let folder: string
    let remote: RemoteProcess
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'millrace-console-remote-'))
      const { key } = (await world().call('POST', '/apikeys', { name: 'daemon' })) as { key: string }
      const env = { MILLRACE_API_URL: world().server.url, MILLRACE_API_KEY: key }
      const place = { cwd: folder, configDir: join(folder, 'config'), env }
      remote = await startRemote(place, ['--name', 'bench', '--exec', '--allow', 'sh'])
    })
    afterAll(async () => {
      await remote?.end('SIGINT')
      await rm(folder, { recursive: true, force: true })
    })

    it('opens a terminal, types into it, sees it follow the window, and reads it again afterwards', () =>
      world().visit('/remotes', async (page) => {
        await page.getByRole('cell', { name: 'bench' }).click()
        await page.getByRole('button', { name: 'Open a terminal' }).click()
        const terminal = page.getByRole('region', { name: 'Terminal' })
        const screen = terminal.locator('.xterm-rows')
        await page.getByText('Running', { exact: false }).first().waitFor()
        const type = async (line: string) => {
          await terminal.getByRole('textbox').focus()
          await page.keyboard.type(line)
          await page.keyboard.press('Enter')
        }
        await type('echo grist $((6 * 7))')
        await screen.getByText('grist 42').waitFor()
        /** The command line that asks is on the screen too, but holds no figures. */
        const columns = async () => Number(/wide=(\d+)/.exec((await screen.textContent()) ?? '')?.[1] ?? 0)
        const ask = () => type("clear; stty size | sed 's/.* /wide=/'")
        await ask()
        await expect.poll(columns).toBeGreaterThan(0)
        const wide = await columns()
        await page.setViewportSize({ width: 800, height: 900 })
        await expect
          .poll(async () => {
            await ask()
            return columns()
          })
          .toSatisfy((now: number) => now > 0 && now < wide)
        expect(await world().violations(page)).toEqual([])
        await page.keyboard.press('F6')
        await type('exit 3')
        await page.getByText('exited with 3').first().waitFor()
        await page.reload()
        await page
          .getByRole('button', { name: /Terminal/ })
          .first()
          .click()
        await screen.getByText('exit 3').waitFor()
      }))
  })
