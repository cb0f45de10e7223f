// One tool call: its status, arguments and result, and the controls to answer it when it needs a person.
import type { ToolInvocation } from '@millrace/contract/chats'
import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { classes } from '../ui/classes.ts'
import { JsonView } from '../ui/json-view.tsx'
import { StatusIcon, type Tone } from '../ui/status.tsx'
import { Took } from '../ui/time.tsx'
import { Approval, ResultForm } from './approvals.tsx'
import { strings } from './strings.ts'
import { Widget } from './widget.tsx'

const tones: Record<ToolInvocation['status'], Tone> = {
  pending: 'waiting',
  in_progress: 'live',
  awaiting_input: 'yours',
  awaiting_approval: 'yours',
  completed: 'ok',
  failed: 'bad',
  cancelled: 'off',
}

const words = strings.tool

const isOver = (status: string): boolean => status === 'completed' || status === 'failed' || status === 'cancelled'

const maxSummary = 80

/** The beginning of the arguments, shown on a collapsed card. */
const summaryOf = (args: Readonly<Record<string, unknown>>): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
    .slice(0, maxSummary)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const Result = ({ text }: { text: string }) => {
  const value = parsed(text)
  return typeof value === 'object' && value !== null ? (
    <JsonView value={value} />
  ) : (
    <pre className="max-h-72 overflow-auto whitespace-pre-wrap break-words font-mono text-[12px]">{text}</pre>
  )
}

const Details = ({ invocation }: { invocation: ToolInvocation }) => {
  const { function: called, result, execution_id, type } = invocation
  return (
    <div className="flex flex-col gap-2 border-t px-3 py-2">
      <div>
        <p className="text-[12px] text-faint">{words.arguments}</p>
        <JsonView value={called.arguments} />
      </div>
      {result === undefined ? null : (
        <div>
          <p className="text-[12px] text-faint">{words.result}</p>
          <Result text={result} />
        </div>
      )}
      {type === 'app' && execution_id ? (
        <Link to="/runs/$id" params={{ id: execution_id }} className="text-accent hover:underline">
          {words.openRun}
        </Link>
      ) : null}
    </div>
  )
}

const AnswerControls = ({ invocation, chatId }: { invocation: ToolInvocation; chatId: string }) => {
  if (invocation.status === 'awaiting_approval') return <Approval chatId={chatId} callId={invocation.id} />
  if (invocation.status !== 'awaiting_input') return null
  if (invocation.widget !== undefined) return null
  return invocation.type === 'client' || invocation.type === 'mcp' ? <ResultForm invocation={invocation} /> : null
}

export const ToolCard = ({
  invocation,
  chatId,
  mayAnswer,
}: {
  invocation: ToolInvocation
  chatId: string
  mayAnswer: boolean
}) => {
  const { status, function: called, display_name } = invocation
  const needsPerson = status === 'awaiting_approval' || status === 'awaiting_input'
  const [open, setOpen] = useState(status === 'awaiting_approval')
  const name = display_name || called.name
  return (
    <section
      aria-label={words.label(name)}
      className={classes('min-w-0 rounded-lg border bg-surface', needsPerson && 'border-warn/60')}
    >
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2 rounded-lg px-3 py-2 text-left hover:bg-hover"
      >
        <StatusIcon tone={tones[status]} />
        <span className="shrink-0 font-medium font-mono text-[12px]">{name}</span>
        <span className="min-w-0 grow truncate text-faint">{summaryOf(called.arguments)}</span>
        <span className="shrink-0 text-[12px] text-soft">
          {words.statuses[status]}
          {isOver(status) ? (
            <>
              {' · '}
              <Took from={invocation.created_at} to={invocation.updated_at} />
            </>
          ) : null}
        </span>
        <ChevronRight className={classes('size-4 shrink-0 text-faint', open && 'rotate-90')} aria-hidden />
      </button>
      {open ? <Details invocation={invocation} /> : null}
      {invocation.widget !== undefined ? (
        <div className="border-t p-3">
          <Widget invocation={invocation} mayAnswer={mayAnswer} />
        </div>
      ) : null}
      {needsPerson && mayAnswer && invocation.widget === undefined ? (
        <div className="border-t px-3 py-2.5">
          <AnswerControls invocation={invocation} chatId={chatId} />
        </div>
      ) : null}
    </section>
  )
}
