// The tokens and the cost of one answer of the model.
import type { ChatMessage, MessageUsage } from '@millrace/contract/chats'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { read } from '../api/queries.ts'
import { moneyText } from '../money/amounts.ts'
import { countText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

const words = strings.usage

const parts = (usage: MessageUsage): [string, number | undefined][] => [
  [words.input, usage.prompt_tokens],
  [words.cached, usage.cached_tokens],
  [words.output, usage.completion_tokens],
  [words.reasoning, usage.reasoning_tokens],
]

/** Requested when the details are opened: one request for each message is too many. */
const Cost = ({ taskId }: { taskId: string }) => {
  const { data } = useQuery({ ...read('tasks.cost', { path: { id: taskId } }), retry: false })
  return (
    <>
      {data ? <span>{words.cost(moneyText(data.charged))}</span> : null}
      <Link to="/runs/$id" params={{ id: taskId }} className="text-accent hover:underline">
        {words.openRun}
      </Link>
    </>
  )
}

export const UsageOfMessage = ({ message: { usage, task_id } }: { message: ChatMessage }) => {
  const [isOpen, setIsOpen] = useState(false)
  if (!usage || usage.total_tokens === 0) return null
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        className="figures h-6 rounded px-1 hover:bg-hover hover:text-ink"
        onClick={() => setIsOpen(!isOpen)}
      >
        {words.tokens(usage.total_tokens)}
      </button>
      {isOpen ? (
        <span className="figures flex flex-wrap items-center gap-x-2">
          {parts(usage).map(([name, count]) =>
            count === undefined ? null : <span key={name}>{`${name} ${countText(count)}`}</span>,
          )}
          {task_id ? <Cost taskId={task_id} /> : null}
        </span>
      ) : null}
    </>
  )
}
