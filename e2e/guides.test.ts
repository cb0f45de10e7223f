// Guarantees: the guides are correct. Every code block in docs/guides is used: files are written, commands run in
// order, and their output matches the transcripts. One server for all of them, and the packaged CLI, which starts three
// times as fast as the sources.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { InfYml } from '@millrace/contract/inf-yml'
import { Compile } from 'typebox/compile'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { readConfig } from '../packages/engine/src/config.ts'
import { signIn } from './support/operator.ts'
import { type ServerProcess, startServer } from './support/server.ts'

const guides = fileURLToPath(new URL('../docs/guides/', import.meta.url))
const packer = fileURLToPath(new URL('../scripts/pack-cli.ts', import.meta.url))

type Block = {
  readonly language: string
  readonly file: string | undefined
  readonly runner: string | undefined
  readonly background: boolean
  readonly text: string
  readonly line: number
}

const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(/^```(\w*)([^\n]*)\n([\s\S]*?)^```$/gm)].map((found) => {
    const [, language = '', words = '', text = ''] = found
    return {
      language,
      file: /\bfile=(\S+)/.exec(words)?.[1],
      runner: /\brun=(\S+)/.exec(words)?.[1],
      background: /\bbackground\b/.test(words),
      text,
      line: markdown.slice(0, found.index).split('\n').length,
    }
  })

let root: string
let server: ServerProcess
let environment: Record<string, string>
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-guides-'))
  server = await startServer()
  const owner = await signIn(server.dataDir, 'ada@mill.example', 'acme')
  await promisify(execFile)(process.execPath, [packer, join(root, 'pack')])
  const program = join(root, 'pack', 'millrace', 'bin', 'millrace.mjs')
  const bin = join(root, 'bin')
  await mkdir(bin)
  await writeFile(join(bin, 'millrace'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`)
  await chmod(join(bin, 'millrace'), 0o755)
  environment = {
    PATH: `${bin}:${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: root,
    MILLRACE_CONFIG_DIR: join(root, 'config'),
    MILLRACE_API_URL: server.url,
    MILLRACE_API_KEY: owner.session_token,
    MILLRACE_TEAM_ID: owner.team_id,
  }
  // A key of the workspace, as a program would use.
  environment.MILLRACE_API_KEY = (await shell(root, 'millrace key create guides')).out.trim()
})
afterAll(async () => {
  await server?.remove()
  await rm(root, { recursive: true, force: true })
})

const start = (folder: string, script: string): ChildProcess =>
  spawn('bash', ['-c', script], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })

/** Variables persist between commands, as in one terminal. */
const shell = async (folder: string, command: string): Promise<{ out: string; err: string; code: number }> => {
  const state = join(folder, '.variables')
  const child = start(
    folder,
    `set -eao pipefail; [ -f '${state}' ] && . '${state}'\n${command}\nexport -p > '${state}'`,
  )
  const said = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    said.out += chunk
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said.err += chunk
  })
  const [code] = (await once(child, 'close')) as [number]
  return { ...said, code }
}

const succeed = async (folder: string, command: string, where: string): Promise<string> => {
  const { out, err, code } = await shell(folder, command)
  if (code !== 0) throw new Error(`${where} ended with ${code}:\n${command}\n${out}${err}`)
  return out
}

/** `…` matches anything: the rest of a line, or alone any number of lines. */
const patternOf = (shown: string): RegExp => {
  const lines = shown
    .split('\n')
    .map((line) => (line.trim() === '…' ? '[\\s\\S]*?' : line.trimEnd().split('…').map(RegExp.escape).join('.*')))
  return new RegExp(`^${lines.join('\\n')}$`)
}

const tidy = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()

const follow = async (folder: string, { text }: Block, where: string): Promise<void> => {
  for (const part of text.split(/^\$ /m).filter((one) => one.trim() !== '')) {
    const [command = '', ...shown] = part.trimEnd().split('\n')
    expect(tidy(await succeed(folder, command, where)), `${where}: ${command}`).toMatch(patternOf(shown.join('\n')))
  }
}

const manifest = Compile(InfYml)

/** Checks a file that no command of the guide reads. */
const checkFile = (path: string, text: string): void => {
  if (path.endsWith('.json')) JSON.parse(text)
  if (path.endsWith('inf.yml')) expect([...manifest.Errors(parseYaml(text))], path).toEqual([])
  if (path.endsWith('engine.yml'))
    readConfig(parseYaml(text), { hostname: 'box', home: '/', hostEnv: {}, engineVersion: '1' })
  if (path.endsWith('.service')) expect(text, path).toMatch(/^\[\w+\]\n(\w+=\S.*\n)+$/)
}

const put = async (folder: string, path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

const use = async (folder: string, block: Block, where: string): Promise<ChildProcess | null> => {
  if (block.file !== undefined) {
    checkFile(block.file, block.text)
    await put(folder, block.file, block.text)
    if (block.runner !== undefined) await succeed(folder, `${block.runner} ${block.file}`, where)
    return null
  }
  if (block.background) return start(folder, block.text)
  if (block.language === 'console') await follow(folder, block, where)
  else if (block.language === 'sh') await succeed(folder, block.text, where)
  else throw new Error(`${where}: nothing runs this block`)
  return null
}

describe.each((await readdir(guides)).filter((name) => name.endsWith('.md')))('%s', (name) => {
  it('works as described', async () => {
    const folder = join(root, name.replace(/\.md$/, ''))
    await mkdir(folder)
    const behind: ChildProcess[] = []
    try {
      for (const block of blocksOf(await readFile(join(guides, name), 'utf8'))) {
        const left = await use(folder, block, `${name}:${block.line}`)
        if (left) behind.push(left)
      }
    } finally {
      for (const child of behind) {
        if (child.exitCode !== null) continue
        child.kill('SIGTERM')
        await once(child, 'close')
      }
    }
  }, 600_000)
})
