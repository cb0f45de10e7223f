// Runs a command on a remote as if it ran here, with its output, input, terminal size and exit code. A lost connection to
// the server loses no output and starts nothing twice.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { chunkBytesLimit } from '@millrace/contract/remote-frames'
import { type ExecRun, isOpenExec } from '@millrace/contract/remotes'
import type { Api } from '../api/client.ts'
import { type Cli, type Command, durationMs, flag, text } from '../command.ts'
import { confirm, yesOption } from '../confirm.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliFailure, usage } from '../failures.ts'
import { findNamed } from '../find.ts'

const maxRetryMs = 5 * 60_000
const waitMs = 20_000

const isTransient = (error: unknown): boolean =>
  error instanceof CliFailure && (error.code === 'unreachable' || (error.status ?? 0) >= 500 || error.status === 429)

/** Retries while the server is unreachable. Every call here can be repeated. */
const retrying = async <T>(call: () => Promise<T>): Promise<T> => {
  const endMs = performance.now() + maxRetryMs
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000))
    try {
      return await call()
    } catch (error) {
      if (!isTransient(error) || performance.now() > endMs) throw error
      await sleep(pauseMs)
    }
}

/** Sends input in order, one chunk at a time. */
const createInput = (api: Api, id: string) => {
  let last = Promise.resolve()
  let isOver = false
  const send = async (body: { data?: string; eof?: boolean }): Promise<void> => {
    const idempotencyKey = randomUUID()
    while (!isOver)
      try {
        await retrying(() => api.call('execs.input', { path: { id }, body }, { idempotencyKey }))
        return
      } catch (error) {
        // The command has ended or its input buffer is full. The reader of the output notices the end.
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

const pipeInput = ({ shell }: Cli, { type, end }: ReturnType<typeof createInput>): (() => void) => {
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

/** Sends every key and the size of the local terminal to the command. */
const attachTerminal = ({ shell }: Cli, api: Api, id: string): (() => void) => {
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
    const chunks = await retrying(() => api.call('execs.output', { path: { id }, query }))
    for (const { stream, data, seq } of chunks) {
      await shell.write(stream === 'stdout' ? 'out' : 'err', Buffer.from(data, 'base64'))
      afterSeq = seq
    }
    if (chunks.length > 0) continue
    const run = await retrying(() => api.call('execs.get', { path: { id } }))
    if (!isOpenExec(run.status) && run.last_seq <= afterSeq) return run
  }
}

/** 128 and the number of the signal, as in a shell. */
const killedCode = 137

const codeOf = (run: ExecRun): number => {
  if (run.status === 'exited') return run.exit_code ?? exitCodes.failed
  return run.status === 'killed' && run.error === '' ? killedCode : run.timed_out ? killedCode : exitCodes.failed
}

const exec: Command = {
  words: 'remote exec <remote>',
  summary: 'Run a command on a remote and exit with its exit code',
  options: [
    ['--cwd <folder>', 'working directory of the command'],
    ['--timeout <duration>', 'kill the command after this time, such as 30s or 5m'],
    ['--no-pty', 'do not attach the local terminal'],
    yesOption,
  ],
  moreOptions: true,
  example: 'millrace remote exec laptop -- git status\ntar c . | millrace remote exec box --yes -- tar x -C /srv',
  run: async (cli, [named = '', ...words], options) => {
    const [command = '', ...args] = words
    if (command === '') throw usage('A command is required', 'millrace remote exec REMOTE -- COMMAND ARGUMENTS…')
    const api = cli.api()
    const remote = await findNamed(api, 'remote', named)
    // Scripts need no --yes: the remote itself decides which commands it accepts.
    if (cli.shell.interactive && !flag(options, 'yes')) {
      await confirm(cli, options, `Run "${words.join(' ')}" on ${remote.name}?`)
      cli.shell.stdin.resume()
    }
    const terminal = options.pty === false || cli.json ? null : cli.shell.terminal
    const timeout = durationMs(options, 'timeout', { min: 1_000 })
    const body = {
      command,
      args,
      ...(text(options, 'cwd') !== undefined && { cwd: text(options, 'cwd') }),
      ...(timeout !== undefined && { timeout_ms: timeout }),
      ...(terminal ? { pty: true, ...terminal.size() } : { stdin: true }),
    }
    const idempotencyKey = randomUUID()
    const { id } = await retrying(() => api.call('execs.start', { path: { id: remote.id }, body }, { idempotencyKey }))
    const keys = createInput(api, id)
    const unpipe = pipeInput(cli, keys)
    const detach = terminal ? attachTerminal(cli, api, id) : () => {}
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
      detach()
    })
    if (run.error !== '') cli.hint(`${run.status}: ${run.error}`)
    return { text: '', json: run, exitCode: codeOf(run) }
  },
}

export const remoteExecCommands = [exec]
