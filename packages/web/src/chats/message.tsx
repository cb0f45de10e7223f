// One message: of a person, or of the agent with its collapsed reasoning, text and tool calls.
import type { ChatMessage, ContentItem } from '@millrace/contract/chats'
import { ChevronRight, File as FileIcon, GitFork, Undo2 } from 'lucide-react'
import { memo } from 'react'
import { nameInAddress, pictureAddress } from '../files/stored-file.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { LazyMarkdown } from '../ui/lazy-markdown.tsx'
import { Ago } from '../ui/time.tsx'
import { UsageOfMessage } from './message-usage.tsx'
import { strings } from './strings.ts'
import { ToolCard } from './tool-card.tsx'
import type { Draft } from './transcript.ts'

const words = strings.message

export type MessageActions = {
  cancelQueued: (id: string) => void
  fork: (id: string) => void
  /** Whether the reader may send messages. */
  mayAct: boolean
}

const Reasoning = ({ text, live = false }: { text: string; live?: boolean }) => (
  <details className="group rounded-lg bg-hover/60 px-3 py-1.5 text-soft" open={live || undefined}>
    <summary className="flex cursor-pointer list-none items-center gap-1 text-[12px]">
      <ChevronRight className="size-3.5 transition-transform group-open:rotate-90" aria-hidden />
      {live ? words.thinking : words.reasoning}
    </summary>
    <p className="mt-1 whitespace-pre-wrap break-words">{text}</p>
  </details>
)

const Attachment = ({ item }: { item: ContentItem }) => {
  const picture = pictureAddress(item.image, location.origin)
  if (picture !== null)
    return <img src={picture} alt={item.filename ?? words.attachment} className="max-h-64 max-w-full rounded border" />
  const uri = item.image ?? item.file ?? ''
  return (
    <a
      href={uri}
      download
      className="inline-flex items-center gap-1.5 self-start rounded border bg-surface px-2 py-1 text-accent hover:underline"
    >
      <FileIcon className="size-3.5" aria-hidden /> {item.filename || nameInAddress(uri)}
    </a>
  )
}

const Content = ({ item }: { item: ContentItem }) => {
  if (item.error)
    return (
      <div role="alert" className="rounded-md border border-bad/40 bg-bad-soft px-3 py-2 text-bad">
        {item.error}
      </div>
    )
  if (item.type === 'reasoning') return <Reasoning text={item.text ?? ''} />
  if (item.type === 'image' || item.type === 'file') return <Attachment item={item} />
  return item.type === 'text' && item.text ? <LazyMarkdown text={item.text} /> : null
}

const UserMessage = ({ message, actions }: { message: ChatMessage; actions: MessageActions }) => (
  <article aria-label={words.you} className="flex flex-col items-end gap-1">
    <div className="flex max-w-[85%] flex-col gap-2 rounded-xl bg-accent-soft px-3.5 py-2">
      {message.content.map((item, index) =>
        item.type === 'text' ? (
          <p key={`item-${index + 1}`} className="whitespace-pre-wrap break-words">
            {item.text}
          </p>
        ) : (
          <Content key={`item-${index + 1}`} item={item} />
        ),
      )}
    </div>
    {message.status === 'queued' ? (
      <p className="flex items-center gap-1 text-[12px] text-faint">
        {words.queued}
        {actions.mayAct ? (
          <Button look="quiet" className="h-6" onClick={() => actions.cancelQueued(message.id)}>
            <Undo2 aria-hidden /> {words.cancelQueued}
          </Button>
        ) : null}
      </p>
    ) : null}
  </article>
)

const textIn = (message: ChatMessage): string =>
  message.content.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('\n\n')

const Cursor = () => <span className="inline-block h-4 w-1.5 animate-pulse bg-accent align-middle" aria-hidden />

const StreamingAnswer = ({ draft }: { draft: Draft | undefined }) => {
  if (!draft)
    return (
      <p role="status" className="text-faint">
        <Cursor /> <span className="ml-1">{words.working} …</span>
      </p>
    )
  return (
    <>
      {draft.reasoning ? <Reasoning text={draft.reasoning} live={draft.text === ''} /> : null}
      {draft.text ? <LazyMarkdown text={draft.text} live /> : null}
      {draft.calls.map((name, index) => (
        <p key={`call-${index + 1}`} className="font-mono text-[12px] text-faint">
          {name} …
        </p>
      ))}
      <Cursor />
    </>
  )
}

const AgentMessage = ({
  message,
  draft,
  actions,
}: {
  message: ChatMessage
  draft: Draft | undefined
  actions: MessageActions
}) => {
  const isOver = message.status !== 'pending'
  const text = textIn(message)
  return (
    <article aria-label={words.agent} aria-busy={!isOver} className="group/message flex min-w-0 flex-col gap-2">
      {message.content.map((item, index) => (
        <Content key={`item-${index + 1}`} item={item} />
      ))}
      {isOver || message.tool_invocations.length > 0 ? null : <StreamingAnswer draft={draft} />}
      {message.tool_invocations.map((invocation) => (
        <ToolCard key={invocation.id} invocation={invocation} chatId={message.chat_id} mayAnswer={actions.mayAct} />
      ))}
      {isOver && text !== '' ? (
        <div className="-mt-1 flex flex-wrap items-center gap-1 text-[12px] text-faint opacity-0 transition-opacity focus-within:opacity-100 group-hover/message:opacity-100">
          <CopyButton text={text} label={words.copy} />
          {actions.mayAct ? (
            <button
              type="button"
              title={words.fork}
              aria-label={words.fork}
              className="inline-flex size-6 items-center justify-center rounded hover:bg-hover hover:text-ink"
              onClick={() => actions.fork(message.id)}
            >
              <GitFork className="size-3.5" aria-hidden />
            </button>
          ) : null}
          <Ago time={message.created_at} />
          <UsageOfMessage message={message} />
        </div>
      ) : null}
    </article>
  )
}

const roleLabels: Readonly<Record<string, string>> = {
  compaction: words.compaction,
  injection: words.injection,
  system: words.system,
}

export const Message = memo(
  ({ message, draft, actions }: { message: ChatMessage; draft: Draft | undefined; actions: MessageActions }) => {
    if (message.role === 'user') return <UserMessage message={message} actions={actions} />
    if (message.role === 'assistant') return <AgentMessage message={message} draft={draft} actions={actions} />
    return (
      <details className="text-[12px] text-faint">
        <summary className="cursor-pointer">{roleLabels[message.role] ?? message.role}</summary>
        <p className="whitespace-pre-wrap">{textIn(message)}</p>
      </details>
    )
  },
)
