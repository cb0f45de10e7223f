// One color and one icon per status, everywhere.
import { flowRunStatus } from '@millrace/contract/flow-run-status'
import { taskStatus, taskStatusText } from '@millrace/contract/task-status'
import {
  Ban,
  CircleCheck,
  CircleDashed,
  CircleX,
  Hand,
  LoaderCircle,
  type LucideIcon,
  TriangleAlert,
} from 'lucide-react'
import { classes } from './classes.ts'

export type Tone = 'waiting' | 'live' | 'ok' | 'bad' | 'off' | 'yours' | 'warn'

const tones: Record<Tone, { icon: LucideIcon; color: string; spins?: true }> = {
  waiting: { icon: CircleDashed, color: 'text-faint' },
  live: { icon: LoaderCircle, color: 'text-live', spins: true },
  ok: { icon: CircleCheck, color: 'text-ok' },
  bad: { icon: CircleX, color: 'text-bad' },
  off: { icon: Ban, color: 'text-faint' },
  yours: { icon: Hand, color: 'text-warn' },
  warn: { icon: TriangleAlert, color: 'text-warn' },
}

export const toneOfTask = (status: number): Tone => {
  if (status === taskStatus.completed) return 'ok'
  if (status === taskStatus.failed) return 'bad'
  if (status === taskStatus.cancelled) return 'off'
  return status <= taskStatus.queued ? 'waiting' : 'live'
}

export const toneOfFlowRun = (status: number): Tone => {
  if (status === flowRunStatus.completed) return 'ok'
  if (status === flowRunStatus.failed) return 'bad'
  if (status === flowRunStatus.cancelled) return 'off'
  return status === flowRunStatus.running ? 'live' : 'waiting'
}

const nodeTones: Record<string, Tone> = {
  pending: 'waiting',
  ready: 'waiting',
  running: 'live',
  'needs approval': 'yours',
  completed: 'ok',
  failed: 'bad',
  cancelled: 'off',
  skipped: 'off',
  blocked: 'off',
}
export const toneOfNode = (status: string): Tone => nodeTones[status] ?? 'waiting'

const engineTones: Record<string, Tone> = {
  pending: 'waiting',
  running: 'ok',
  draining: 'warn',
  restarting: 'live',
  disconnected: 'bad',
  stopping: 'warn',
  stopped: 'off',
}
export const toneOfEngine = (status: string): Tone => engineTones[status] ?? 'waiting'

export const StatusIcon = ({ tone, className }: { tone: Tone; className?: string }) => {
  const { icon: Icon, color, spins } = tones[tone]
  return <Icon aria-hidden className={classes('size-4 shrink-0', color, spins && 'animate-spin', className)} />
}

export const Status = ({ tone, children }: { tone: Tone; children: string }) => (
  <span className="inline-flex items-center gap-1.5 whitespace-nowrap align-middle">
    <StatusIcon tone={tone} />
    <span className="first-letter:uppercase">{children}</span>
  </span>
)

const words = (name: string): string => name.replaceAll('_', ' ')

export const TaskStatus = ({ status }: { status: number }) => (
  <Status tone={toneOfTask(status)}>{words(taskStatusText(status))}</Status>
)

const flowRunNames = new Map<number, string>(Object.entries(flowRunStatus).map(([name, code]) => [code, name]))

export const FlowRunStatus = ({ status }: { status: number }) => (
  <Status tone={toneOfFlowRun(status)}>{flowRunNames.get(status) ?? 'unknown'}</Status>
)

export const Badge = ({ children, tone }: { children: React.ReactNode; tone?: 'accent' | 'warn' | 'ok' | 'bad' }) => (
  <span
    className={classes(
      'inline-flex h-5 shrink-0 items-center gap-1 whitespace-nowrap rounded px-1.5 font-medium text-[11px]',
      tone === undefined && 'bg-hover text-soft',
      tone === 'accent' && 'bg-accent-soft text-accent',
      tone === 'warn' && 'bg-warn-soft text-warn',
      tone === 'ok' && 'bg-ok-soft text-ok',
      tone === 'bad' && 'bg-bad-soft text-bad',
    )}
  >
    {children}
  </span>
)
