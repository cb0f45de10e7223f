// Offers the tools of an MCP server from npm as functions. `connector.json` names the package and its tools; this code is
// the same for every package. The server runs as a child process in the sandbox of the app and stays for later runs.

import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect, listTools } from './mcp-client.js'

const folder = fileURLToPath(new URL('.', import.meta.url))
const readJson = async (path) => JSON.parse(await readFile(join(folder, path), 'utf8'))
const connector = await readJson('connector.json')
const packageFolder = join('node_modules', connector.package)

/** The only command of the package, the one with its name, or the chosen one. */
function commandOf({ name, bin }) {
  const commands = typeof bin === 'string' ? { [name.replace(/^.*\//, '')]: bin } : (bin ?? {})
  const names = Object.keys(commands)
  const wanted = connector.command ?? (names.length === 1 ? names[0] : name.replace(/^.*\//, ''))
  if (commands[wanted] !== undefined) return join(folder, packageFolder, commands[wanted])
  if (names.length === 0) throw new Error(`${name} is not an MCP server: the package has no command`)
  throw new Error(`Choose the command of the MCP server: ${names.slice(0, 20).join(', ')}`)
}

const dataFolder = process.env.MILLRACE_DATA_DIR ?? folder
const environment = () =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('MILLRACE_')))

async function start(onEnd) {
  const args = (connector.args ?? []).map((arg) => arg.replaceAll('{data}', dataFolder))
  const command = [commandOf(await readJson(join(packageFolder, 'package.json'))), ...args]
  return connect(command, { env: environment(), cwd: dataFolder, onEnd })
}

export class App {
  // A server that has ended is started again by the next run.
  async _connected() {
    this._server ??= start(() => {
      this._server = undefined
    })
    try {
      return await this._server
    } catch (error) {
      this._server = undefined
      throw error
    }
  }

  async _call(tool, input) {
    this._abort = new AbortController()
    const server = await this._connected()
    return outputOf(await server.request('tools/call', { name: tool, arguments: input ?? {} }, this._abort.signal))
  }

  onCancel() {
    this._abort?.abort(new Error('cancelled'))
  }

  async unload() {
    const server = await this._server
    server?.close()
  }
}

/** Only in the version that reads the tools. */
async function describeServer() {
  const { name, version, license } = await readJson(join(packageFolder, 'package.json'))
  // Read before the package's code runs.
  const lock = await readFile(join(folder, 'package-lock.json'), 'utf8').catch(() => '')
  const server = await this._connected()
  const tools = (await listTools(server)).map(({ name, title, description, inputSchema, annotations }) => ({
    name,
    description: description ?? title ?? '',
    inputSchema: inputSchema ?? {},
    annotations: annotations ?? {},
  }))
  return { package: { name, version, license: licenseOf(license) }, tools, lock }
}

const licenseOf = (license) => (typeof license === 'string' ? license : (license?.type ?? ''))

const functions = connector.tools ?? {}
if (connector.tools === undefined) Object.defineProperty(App.prototype, 'list_tools', { value: describeServer })
for (const [name, tool] of Object.entries(functions))
  Object.defineProperty(App.prototype, name, {
    value(input) {
      return this._call(tool, input)
    },
  })

// --- Results --------------------------------------------------------------------------------------------------------

async function outputOf({ content = [], structuredContent, isError }) {
  const texts = []
  const files = []
  for (const part of content) {
    const { type, resource } = part
    if (type === 'text') texts.push(part.text)
    else if (type === 'image' || type === 'audio') files.push(await fileOf(part.data, part.mimeType))
    else if (type === 'resource' && typeof resource?.text === 'string') texts.push(resource.text)
    else if (type === 'resource' && typeof resource?.blob === 'string')
      files.push(await fileOf(resource.blob, resource.mimeType))
    else if (type === 'resource_link') texts.push(part.uri)
  }
  const text = texts.join('\n')
  if (isError) throw new Error(text || 'The tool failed')
  return {
    text,
    ...(structuredContent === undefined ? {} : { structured_content: structuredContent }),
    ...(files.length === 0 ? {} : { files }),
  }
}

async function fileOf(base64, type = 'application/octet-stream') {
  const extension = /^\w+\/([\w-]+)/.exec(type)?.[1] ?? 'bin'
  const filename = `result.${extension}`
  const path = join(tmpdir(), `${randomUUID()}.${extension}`)
  await writeFile(path, Buffer.from(base64, 'base64'))
  return { path, filename, content_type: type }
}
