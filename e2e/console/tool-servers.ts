// Tool servers: a server is added by its URL, one that requires a key gets it, and a tool is called.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startMcpServer, type TestMcpServer } from '../../packages/server/src/agents/mcp-servers/testing/mcp-server.ts'
import type { ConsoleWorld } from '../support/console.ts'

export const toolServerStories = (world: () => ConsoleWorld) =>
  describe('tool servers', () => {
    let server: TestMcpServer
    beforeAll(async () => {
      server = await startMcpServer()
    })
    afterAll(() => server?.close())

    it('adds one, lists its tools, and calls one', () =>
      world().visit('/tool-servers', async (page) => {
        await page.getByRole('link', { name: /DeepWiki/ }).waitFor()
        await page.getByRole('button', { name: 'Add server', exact: true }).click()
        await page.getByLabel('Name', { exact: true }).fill('Mill tools')
        await page.getByLabel('Address', { exact: true }).fill(server.url)
        await page.getByRole('dialog').getByRole('button', { name: 'Add server', exact: true }).click()
        await page.getByRole('heading', { name: 'Mill tools', exact: true }).waitFor()
        await page.getByRole('button', { name: 'Add Adds two numbers', exact: true }).click()
        await page.getByLabel('A', { exact: true }).fill('19')
        await page.getByLabel('B', { exact: true }).fill('23')
        await page.getByRole('button', { name: 'Call tool', exact: true }).click()
        await page.getByText('added', { exact: true }).waitFor()
        expect(await world().violations(page)).toEqual([])
        expect(server.asked).toContain('tools/call add')
      }))

    it('renames one, retains its connection, and rejects a URL without a server', () =>
      world().visit(
        '/tool-servers/mill-tools',
        async (page) => {
          await page.getByRole('button', { name: 'Edit', exact: true }).click()
          await page.getByLabel('Title', { exact: true }).fill('Tools of the mill')
          await page.getByLabel('Description', { exact: true }).fill('Sums for millers')
          expect(await world().violations(page)).toEqual([])
          await page.getByRole('button', { name: 'Save', exact: true }).click()
          await page.getByRole('heading', { name: 'Tools of the mill', exact: true }).waitFor()
          await page.getByText('Sums for millers').waitFor()
          await page.getByRole('button', { name: 'Add Adds two numbers', exact: true }).waitFor()
          await page.getByRole('button', { name: 'Edit', exact: true }).click()
          await page.getByLabel('Address', { exact: true }).fill('http://127.0.0.1:9/mcp')
          await page.getByRole('button', { name: 'Save', exact: true }).click()
          await page.getByRole('dialog').getByRole('alert').waitFor()
          const { server_url } = (await world().call('GET', '/mcps/mill-tools')) as { server_url: string }
          expect(server_url).toBe(server.url)
        },
        { expected: [400, 502] },
      ))

    it('connects one that requires a key, and then lists its tools', () =>
      world().visit(
        '/tool-servers',
        async (page) => {
          server.accepts = (bearer) => bearer === 'open-sesame'
          await world().call('POST', '/mcp-servers', {
            name: 'Locked tools',
            server_url: `${server.url}?locked`,
            auth_type: 'api_key',
          })
          await page.reload()
          await page.getByRole('link', { name: /Locked tools/ }).click()
          await page.getByRole('button', { name: 'Connect Locked tools', exact: true }).click()
          await page.getByRole('dialog').locator('input').first().fill('open-sesame')
          await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click()
          await page.getByRole('button', { name: 'echo Repeats its input', exact: true }).waitFor()
        },
        { expected: [412] },
      ))
  })
