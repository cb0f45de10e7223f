// Guarantees: the README is correct. Its commands are executed in a clean clone in their order, and their promised
// results are checked; an unknown command is a failure. Prints the time to the first result and the first own app. `npm
// run prove -- readme --size large` also installs the clone's packages; `npm test` links existing ones.
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../packages/server/src/testing/tcp-proxy.ts'
import { cloneInto } from './support/clone.ts'
import { type Person, signInByMail } from './support/person.ts'
import { pressCtrlC, type Typed, type as typeInto, untilFound } from './support/typed.ts'

/** Programs that the README's commands need besides npm. */
const hasPrograms = ['bash', 'curl', 'git'].every((name) => spawnSync(name, ['--version']).status === 0)

const writtenAddress = 'http://127.0.0.1:7700'
const writtenToken = 'sess_Sd9GFdM0JOO158nmXqUDcB…'

/** Lines after `$` in a transcript and every line of a shell block; comments and continued lines as in a shell. */
const commandsOf = (readme: string): string[] =>
  [...readme.matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)].flatMap(([, kind, block = '']) => {
    if (kind !== 'sh' && kind !== 'console')
      throw new Error(`Nothing can be typed from a block of ${kind || 'nothing'}`)
    const lines = block.replaceAll(/\s*\\\n\s*/g, ' ').split('\n')
    const typed = kind === 'sh' ? lines : lines.filter((line) => line.startsWith('$ ')).map((line) => line.slice(2))
    return typed.map((line) => line.replace(/\s+#.*$/, '').trim()).filter((line) => line !== '')
  })

let folder = ''
let clone: string
let address: string
let port: number
let teamId = ''
let token = ''
let beganAt = 0
let server: Typed
let person: Person
const open: Typed[] = []
const times: Record<string, number> = {}
const approved = new Set<string>()

const type = (command: string, env: Record<string, string> = {}): Typed => {
  const text = command
    .replaceAll(writtenAddress, address)
    .replace(writtenToken, token)
    .replace('"team_id": "…"', `"team_id": "${teamId}"`)
  const { PATH } = process.env
  const typed = typeInto(clone, text, { PATH, HOME: folder, TOKEN: token, MILLRACE_API_URL: address, ...env })
  open.push(typed)
  return typed
}

const run = async (command: string, env?: Record<string, string>): Promise<string> => {
  const typed = type(command, env)
  typed.child.stdin?.end()
  const code = await typed.closed
  if (code !== 0) throw new Error(`${command} ended with ${code}:\n${typed.said()}`)
  return typed.out()
}

/** A person approves additional scopes on the page. */
const approveWhatIsAsked = async (typed: Typed): Promise<void> => {
  const code = /Code: (\S+)/.exec(typed.said())?.[1]
  if (code === undefined || approved.has(code)) return
  approved.add(code)
  const scopes = /scopes=(\S+)/.exec(typed.said())?.[1]?.split('+')
  await person.call('POST', '/device/auth/approve', { code, team_id: teamId, ...(scopes && { scopes }) })
}

const listed = async (typed: Typed, list: string, name: string, status: string): Promise<void> => {
  await untilFound(typed, `${name} in ${list}`, async () => {
    await approveWhatIsAsked(typed)
    const { items } = JSON.parse(await run(`npx millrace ${list} --json`)) as {
      items: { name: string; status: string }[]
    }
    return items.find((item) => item.name === name && item.status === status)
  })
}

/** As the owner of the installation, whose account was created first. */
const asStaff = () => ({ MILLRACE_API_KEY: token, MILLRACE_TEAM_ID: teamId })

const hours = (count: number): string => new Date(Date.now() + count * 3_600_000).toISOString()

/** Each command of the README with a check of its result. */
const steps: Record<string, (command: string) => Promise<void>> = {
  'npm start': async (command) => {
    if (server) return
    beganAt = Date.now()
    server = type(command, { PORT: String(port) })
    await untilFound(server, 'banner', () => /sign-in\/setup\?token=\S+/.exec(server.said()) ?? undefined)
    times['npm start to ready'] = Date.now() - beganAt
    for (const line of [
      'is ready (',
      `Address   ${address}`,
      `Console   ${address}/console`,
      `Guides    ${address}/guides`,
    ])
      expect(server.said()).toContain(line)
    expect(server.said()).not.toContain('WARNING')
    for (const page of ['docs', 'guides', 'console']) expect((await fetch(`${address}/${page}`)).status).toBe(200)
  },
  // This test is part of it.
  'npm test': async () => {
    const { scripts } = JSON.parse(await readFile(join(clone, 'package.json'), 'utf8')) as { scripts: { test: string } }
    expect(scripts.test).toContain('scripts/test.ts')
  },
  'npx millrace admin sign-in --email you@example.com --team acme': async (command) => {
    const said = await run(command)
    expect(said).toContain('Signed in you@example.com to acme')
    expect(said).toMatch(/Sign-in link {3}http\S+/)
    token = /Session token {2}(sess_\S+)/.exec(said)?.[1] ?? ''
  },
  [`TOKEN=${writtenToken}`]: async (command) => {
    await run(command)
    const answer = await fetch(`${address}/me`, { headers: { authorization: `Bearer ${token}` } })
    const { data } = (await answer.json()) as { data: { team?: { id: string } } }
    teamId = data.team?.id ?? ''
    expect(teamId).not.toBe('')
  },
  [`curl -s ${writtenAddress}/run -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"app": "millrace/word-count", "input": {"text": "to be or not to be"}, "wait": true}'`]:
    async (command) => {
      const answer = JSON.parse(await run(command)) as object
      expect(answer).toMatchObject({ success: true, data: { status_text: 'completed', output: { words: 6 } } })
      times['npm start to the first result'] = Date.now() - beganAt
    },
  'npx millrace login': async (command) => {
    const mailPart = (to: string, pattern: RegExp) =>
      untilFound(server, 'mail', () => pattern.exec(server.said().split(`Mail to ${to}`).at(1) ?? '')?.[1])
    person = await signInByMail({ url: address, mailPart }, 'you@example.com')
    const typed = type(command)
    const code = await untilFound(typed, 'code', () => /code=([A-Z0-9]{4}-[A-Z0-9]{4})/.exec(typed.said())?.[1])
    const { data } = await person.call('POST', '/device/auth/approve', { code, team_id: teamId })
    typed.child.stdin?.end(`${data.claim_code}\n`)
    expect([await typed.closed, typed.said()]).toEqual([0, expect.stringContaining('you@example.com in acme')])
  },
  'npx millrace app create my-app && npx millrace deploy my-app': async (command) => {
    expect(await run(command)).toMatch(/acme\/my-app@\w+/)
  },
  'npx millrace run my-app -i \'{"name": "Ada"}\' --wait': async (command) => {
    expect(await run(command)).toContain('Hello, Ada!')
    times['npm start to the first own app'] = Date.now() - beganAt
  },
  'npx millrace engine start --name gpu-box': async (command) => {
    const typed = type(command)
    await listed(typed, 'engine list', 'gpu-box', 'running')
    await pressCtrlC(typed)
  },
  // The suite is already running, so only npm's version is requested.
  'npx millrace remote start --name laptop --exec --allow "npm test"': async (command) => {
    await listed(type(command.replace('npm test', 'npm --version')), 'remote list', 'laptop', 'running')
  },
  'npx millrace remote exec laptop -- npm test': async (command) => {
    expect(await run(command.replace('npm test', 'npm --version'))).toMatch(/^\d+\.\d+\.\d+$/m)
  },
  'npx millrace api secrets.list --limit 5': async (command) => {
    expect(await run(command)).toContain('items')
    expect(await run('npx millrace api')).toContain('secrets.list')
  },
  'npx millrace api clouds.set --key here --body \'{"kind": "local", "name": "This machine"}\'': async (command) => {
    expect(await run(command, asStaff())).toContain('This machine')
  },
  'npx millrace api clouds.set_types --key here --body-file offers.json': async (command) => {
    const availability = [{ region: 'desk', rental_type: 'on_demand', available: true, hourly_price: 36 }]
    const named = { catalog_instance_type: 'small', cloud_instance_type: 'small', deployment_type: 'vm' }
    const offer = { ...named, configuration: { vcpus: 1, memory_in_gb: 1 }, availability }
    await writeFile(join(clone, 'offers.json'), JSON.stringify({ types: [offer] }))
    await run(command, asStaff())
  },
  'npx millrace api billing.grant --body \'{"team_id": "…", "amount": 1000000000}\'': async (command) => {
    expect(await run(command, asStaff())).toContain('1000000000')
  },
  'npx millrace api engines.create --body-file engine.json': async (command) => {
    const instance_type = { cloud: 'here', region: 'desk', catalog_instance_type: 'small' }
    await writeFile(join(clone, 'engine.json'), JSON.stringify({ name: 'rented', end_time: hours(2), instance_type }))
    expect(await run(command, asStaff())).toContain('rented')
  },
}

beforeAll(async () => {
  if (!hasPrograms) return
  folder = await mkdtemp(join(tmpdir(), 'millrace-readme-'))
  clone = join(folder, 'millrace')
  port = await freePort()
  address = `http://127.0.0.1:${port}`
  await cloneInto(clone, { linked: process.env.README_INSTALL === undefined })
})
afterAll(async () => {
  for (const typed of open.reverse()) await pressCtrlC(typed)
  if (folder) await rm(folder, { recursive: true, force: true })
})

it.skipIf(!hasPrograms)('every command works as the README says', { timeout: 900_000 }, async () => {
  const commands = commandsOf(await readFile(join(clone, 'README.md'), 'utf8'))
  expect(commands.filter((command) => !steps[command])).toEqual([])
  expect(Object.keys(steps).filter((step) => !commands.includes(step))).toEqual([])
  for (const command of commands) await steps[command]?.(command)
  for (const [what, ms] of Object.entries(times)) console.log(`${what}: ${(ms / 1000).toFixed(1)} s`)
})

it.skipIf(!hasPrograms)('a service manager stops the server by stopping npm', async () => {
  server.child.kill('SIGTERM')
  await server.ended
  await expect(fetch(`${address}/healthz`)).rejects.toThrow()
})
