// A command on a remote, as if it ran here: its output as it comes, what is typed, the size of the terminal, and its exit
// code. A break between here and the server loses nothing and starts nothing twice.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { chunkBytesLimit } from '@millrace/contract/remote-frames'
import { type ExecRun, isOpenExec } from '@millrace/contract/remotes'
import type { Api } from '../api/client.ts'
import { type Cli, type Command, flag, text, wholeNumber } from '../command.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure, usage } from '../failures.ts'
import { findNamed } from '../find.ts'
import { askText } from '../login/ask.ts'

const patienceMs = 5 * 60_000
const waitMs = 20_000

const isPassing = (error: unknown): boolean =>
  error instanceof CliFailure && (error.code === 'unreachable' || (error.status ?? 0) >= 500 || error.status === 429)

/** Tries again while the server is away: every call here can be made twice. */
const patiently = async <T>(call: () => Promise<T>): Promise<T> => {
  const endMs = performance.now() + patienceMs
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000))
    try {
      return await call()
    } catch (error) {
      if (!isPassing(error) || performance.now() > endMs) throw error
      await sleep(pauseMs)
    }
}

/** Sends what is typed, in order, one piece after the other. */
const typist = (api: Api, id: string) => {
  let last = Promise.resolve()
  let isOver = false
  const send = async (body: { data?: string; eof?: boolean }): Promise<void> => {
    const idempotencyKey = randomUUID()
    while (!isOver)
      try {
        await patiently(() => api.call('execs.input', { path: { id }, body }, { idempotencyKey }))
        return
      } catch (error) {
        // It has ended, or has not read what it has: the first is found out by whoever reads its output.
        if (!(error instanceof CliFailure) || error.status !== 409) throw error
        await sleep(200)
      }
  }
  const queue = (body: { data?: string; eof?: boolean }): Promise<void> => {
    last = last.then(() => send(body)).catch(() => {})
    return last
  }
  return {
    type: (data: Buffer): Promise<void> => {
      for (let at = 0; at < data.length; at += chunkBytesLimit)
        void queue({ data: data.subarray(at, at + chunkBytesLimit).toString('base64') })
      return last
    },
    end: () => queue({ eof: true }),
    stop: () => {
      isOver = true
    },
  }
}

const pipeInput = ({ shell }: Cli, { type, end }: ReturnType<typeof typist>): (() => void) => {
  const { stdin } = shell
  const onData = (data: Buffer | string): void => {
    stdin.pause()
    void type(Buffer.from(data)).finally(() => stdin.resume())
  }
  const onEnd = () => void end()
  stdin.on('data', onData).once('end', onEnd)
  return () => {
    stdin.off('data', onData).off('end', onEnd)
    stdin.pause()
  }
}

/** The person's own terminal stands for the command's: every key goes there, and so does its size. */
const lendTerminal = ({ shell }: Cli, api: Api, id: string): (() => void) => {
  const { terminal } = shell
  if (!terminal) return () => {}
  const restore = terminal.raw()
  const unwatch = terminal.onResize(() => {
    api.call('execs.resize', { path: { id }, body: terminal.size() }).catch(() => {})
  })
  return () => {
    unwatch()
    restore()
  }
}

const follow = async ({ shell }: Cli, api: Api, id: string): Promise<ExecRun> => {
  for (let afterSeq = 0; ; ) {
    const query = { after_seq: afterSeq, wait_ms: waitMs }
    const chunks = await patiently(() => api.call('execs.output', { path: { id }, query }))
    for (const { stream, data, seq } of chunks) {
      await shell.write(stream === 'stdout' ? 'out' : 'err', Buffer.from(data, 'base64'))
      afterSeq = seq
    }
    if (chunks.length > 0) continue
    const run = await patiently(() => api.call('execs.get', { path: { id } }))
    if (!isOpenExec(run.status) && run.last_seq <= afterSeq) return run
  }
}

/** As a shell counts: a killed command ends with 128 and the number of the signal. */
const killedCode = 137

const codeOf = (run: ExecRun): number => {
  if (run.status === 'exited') return run.exit_code ?? exitCodes.failed
  return run.status === 'killed' && run.error === '' ? killedCode : run.timed_out ? killedCode : exitCodes.failed
}

const confirm = async ({ shell }: Cli, remote: string, line: string): Promise<void> => {
  const reply = await askText(`Run "${line}" on ${remote}? (yes, no)`, 'yes')
  if (!reply.startsWith('y')) throw new CliFailure('Not run', { exitCode: exitCodes.interrupted, code: 'interrupted' })
  shell.stdin.resume()
}

const exec: Command = {
  words: 'remote exec <remote>',
  summary: 'Run a command on a remote, and end as it ends',
  options: [
    ['--cwd <folder>', 'where it begins'],
    ['--timeout <seconds>', 'when it is killed'],
    ['--no-pty', 'no terminal, though there is one here'],
    ['--yes', 'do not ask first'],
  ],
  moreOptions: true,
  example: 'millrace remote exec laptop -- git status\ntar c . | millrace remote exec box --yes -- tar x -C /srv',
  run: async (cli, [named = '', ...words], options) => {
    const [command = '', ...args] = words
    if (command === '') throw usage('Say which command: millrace remote exec NAME -- COMMAND ARGUMENTS…')
    const api = cli.api()
    const remote = await findNamed(api, 'remote', named)
    if (cli.shell.interactive && !flag(options, 'yes')) await confirm(cli, remote.name, words.join(' '))
    const terminal = options.pty === false || cli.json ? null : cli.shell.terminal
    const timeout = wholeNumber(options, 'timeout')
    const body = {
      command,
      args,
      ...(text(options, 'cwd') !== undefined && { cwd: text(options, 'cwd') }),
      ...(timeout !== undefined && { timeout_ms: timeout * 1000 }),
      ...(terminal ? { pty: true, ...terminal.size() } : { stdin: true }),
    }
    const idempotencyKey = randomUUID()
    const { id } = await patiently(() => api.call('execs.start', { path: { id: remote.id }, body }, { idempotencyKey }))
    const keys = typist(api, id)
    const unpipe = pipeInput(cli, keys)
    const giveBack = terminal ? lendTerminal(cli, api, id) : () => {}
    let interrupts = 0
    const release = cli.shell.onInterrupt(() => {
      interrupts += 1
      if (interrupts > 1) cli.shell.exit(exitCodes.interrupted)
      api.call('execs.signal', { path: { id } }).catch(() => {})
    })
    const run = await follow(cli, api, id).finally(() => {
      keys.stop()
      release()
      unpipe()
      giveBack()
    })
    if (run.error !== '') cli.hint(`${run.status}: ${run.error}`)
    return { text: '', json: run, exitCode: codeOf(run) }
  },
}

export const remoteExecCommands = [exec]
