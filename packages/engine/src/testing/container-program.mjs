#!/usr/bin/env node
// A stand-in for the command line of a container engine: accepts `info`, `run` and `rm` with the options that docker and
// podman document, rejects all others, and runs the command as an ordinary process with translated mounts, environment
// and published port. It shows that the engine uses the command line correctly; it isolates nothing. Every call is
// recorded in the folder of DOCKER_CONFIG.
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = process.env.DOCKER_CONFIG
const [verb, ...rest] = process.argv.slice(2)
appendFileSync(join(folder, 'calls.jsonl'), `${JSON.stringify({ verb, args: rest, home: process.env.HOME })}\n`)

const refuse = (text) => {
  process.stderr.write(`${text}\n`)
  process.exit(125)
}

const bare = new Set(['--rm', '--interactive', '--init', '--read-only'])
const valued = new Set([
  ...['--name', '--publish', '--network', '--cap-drop', '--security-opt', '--tmpfs', '--memory', '--memory-swap'],
  ...['--pids-limit', '--volume', '--workdir', '--env', '--user', '--userns', '--gpus'],
])

const parseRun = (args) => {
  const options = new Map()
  let at = 0
  for (; args[at]?.startsWith('--'); at++) {
    const flag = args[at]
    if (bare.has(flag)) options.set(flag, [true])
    else if (valued.has(flag)) options.set(flag, [...(options.get(flag) ?? []), args[++at]])
    else refuse(`unknown flag: ${flag}`)
  }
  return { option: (name) => options.get(name) ?? [], image: args[at], command: args.slice(at + 1) }
}

const run = (args) => {
  const { option, image, command } = parseRun(args)
  if (!/^(node|python):[\w.-]+$/.test(image ?? '')) refuse(`invalid reference format: ${image}`)
  const mounts = option('--volume')
    .map((text) => text.split(':'))
    .sort((a, b) => b[1].length - a[1].length)
  for (const [host] of mounts) if (!existsSync(host)) refuse(`no such folder: ${host}`)
  const toHost = (text) => {
    for (const [host, target] of mounts)
      if (text === target || text.startsWith(`${target}/`)) return host + text.slice(target.length)
    return text
  }
  const env = { PATH: process.env.PATH }
  for (const entry of option('--env')) {
    const [name, ...value] = entry.split('=')
    const text = value.length > 0 ? value.join('=') : process.env[name]
    if (text !== undefined) env[name] = toHost(text)
  }
  // An installer publishes nothing.
  const [, hostPort] = /^127\.0\.0\.1:(\d+):8787$/.exec(option('--publish')[0] ?? '') ?? []
  if ((env.MILLRACE_RUNNER_LISTEN === '0.0.0.0:8787') !== (hostPort !== undefined))
    refuse('the app would not listen on the published port')
  if (hostPort !== undefined) env.MILLRACE_RUNNER_LISTEN = `127.0.0.1:${hostPort}`
  const [program, ...given] = command.map(toHost)
  const child = spawn(program === 'node' ? process.execPath : program, given, {
    cwd: toHost(option('--workdir')[0]),
    env,
    stdio: 'inherit',
  })
  const pidFile = join(folder, option('--name')[0])
  writeFileSync(pidFile, String(child.pid))
  child.once('error', () => process.exit(127))
  child.once('exit', (code, signal) => {
    rmSync(pidFile, { force: true })
    process.exit(signal ? 137 : code)
  })
}

const remove = (args) => {
  const pidFile = join(folder, args.at(-1))
  if (!existsSync(pidFile)) return
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL')
  } catch {
    // It has already ended.
  }
}

if (verb === 'run') run(rest)
else if (verb === 'rm' && rest[0] === '--force') remove(rest)
else if (verb !== 'info') refuse(`unknown command: ${verb}`)
