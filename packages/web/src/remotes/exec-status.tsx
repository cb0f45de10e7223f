// How a command on a remote stands, in one colour and few words.
import type { ExecRun } from '@millrace/contract/remotes'
import { Status, type Tone } from '../ui/status.tsx'

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
  status === 'exited' ? `exited with ${exit_code}` : error || status

export const ExecStatus = ({ run }: { run: ExecRun }) => <Status tone={toneOf(run)}>{wordsOf(run)}</Status>

/** A terminal that was opened here needs no recipe to be recognised. */
export const shellOfPerson = ['-c', 'exec "$(command -v "$SHELL" || echo sh)" -l']

export const lineOf = ({ command, args, pty }: ExecRun): string =>
  pty && command === 'sh' && args[1] === shellOfPerson[1] ? 'Terminal' : [command, ...args].join(' ')
