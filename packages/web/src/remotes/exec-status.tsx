// The status of a command on a remote, with a color and a short text.
import type { ExecRun } from '@millrace/contract/remotes'
import { Status, type Tone } from '../ui/status.tsx'
import { strings } from './strings.ts'

const words = strings.command

const tones: Record<ExecRun['status'], Tone> = {
  pending: 'waiting',
  running: 'live',
  exited: 'ok',
  killed: 'off',
  denied: 'bad',
}

const toneOf = ({ status, exit_code }: ExecRun): Tone =>
  status === 'exited' && exit_code !== 0 ? 'bad' : tones[status]

const wordsOf = ({ status, exit_code, error }: ExecRun): string =>
  status === 'exited' ? words.exited(exit_code) : error || status

export const ExecStatus = ({ run }: { run: ExecRun }) => <Status tone={toneOf(run)}>{wordsOf(run)}</Status>

/** The command line of a terminal that the console opened, which is shown as "Terminal". */
export const shellOfPerson = ['-c', 'exec "$(command -v "$SHELL" || echo sh)" -l']

export const lineOf = ({ command, args, pty }: ExecRun): string =>
  pty && command === 'sh' && args[1] === shellOfPerson[1] ? words.terminal : [command, ...args].join(' ')
