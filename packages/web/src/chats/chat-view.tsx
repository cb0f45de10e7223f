// A conversation: its messages, what waits for an answer, and where to speak. Stands on the chat's own page and beside
// the editor of an agent.
import { useNavigate } from '@tanstack/react-router'
import { ArrowDown } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Question } from './asking.tsx'
import { Composer, type Said } from './composer.tsx'
import { Message, type MessageActs } from './message.tsx'
import type { LiveChat } from './use-chat.ts'

/** Pixels from the end that still count as being there. */
const nearEnd = 48

/** Keeps the end in sight while it grows or the window changes, unless the reader has gone up. */
const useFollowEnd = () => {
  const scroller = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  useEffect(() => {
    const { current } = scroller
    if (!current || !atEnd) return
    const follow = () => {
      current.scrollTop = current.scrollHeight
    }
    const observer = new ResizeObserver(follow)
    observer.observe(current)
    if (current.firstElementChild) observer.observe(current.firstElementChild)
    follow()
    return () => observer.disconnect()
  }, [atEnd])
  const onScroll = () => {
    const { current } = scroller
    if (current) setAtEnd(current.scrollHeight - current.scrollTop - current.clientHeight < nearEnd)
  }
  return { scroller, onScroll, atEnd, toEnd: () => setAtEnd(true) }
}

const useActs = (chatId: string, mayAct: boolean): MessageActs => {
  const navigate = useNavigate()
  const { mutate: takeBack } = useAct({ work: (id: string) => call('chat_messages.cancel', { path: { id } }) })
  const { mutate: fork } = useAct({
    work: (message_id: string) => call('chats.fork', { path: { id: chatId }, body: { message_id } }),
    done: 'This is a new chat with everything up to there',
    after: ({ id }) => navigate({ to: '/chats/$id', params: { id } }),
  })
  return useMemo(() => ({ takeBack, fork, mayAct }), [takeBack, fork, mayAct])
}

export const ChatView = ({ live, mayAct }: { live: LiveChat; mayAct: boolean }) => {
  const { chat, transcript, drafts, older, isLoading, error } = live
  const id = chat?.id ?? ''
  const { scroller, onScroll, atEnd, toEnd } = useFollowEnd()
  const acts = useActs(id, mayAct)
  const stop = useAct({ work: () => call('chats.stop', { path: { id } }), touches: ['inbox'] })
  const send = ({ text, attachments }: Said) => {
    toEnd()
    return call('chats.send', {
      path: { id },
      body: { message: text, ...(attachments.length > 0 ? { attachments } : {}) },
    })
  }
  const outside = (chat?.pending_interrupts ?? []).filter(
    ({ reason }) => reason !== 'tool_approval' && reason !== 'client_tool' && reason !== 'widget',
  )
  const isBusy = chat?.status === 'busy' || chat?.status === 'awaiting_input'
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <div ref={scroller} onScroll={onScroll} className="min-h-0 grow overflow-y-auto">
        <div role="log" aria-label="Conversation" className="mx-auto flex w-full max-w-3xl flex-col gap-5 px-4 py-4">
          {older ? (
            <Button look="quiet" className="self-center" onClick={older}>
              Earlier messages
            </Button>
          ) : null}
          {error ? <ProblemNote error={error} /> : null}
          {isLoading && !error ? <SkeletonRows rows={4} /> : null}
          {transcript.map((message) => (
            <Message key={message.id} message={message} draft={drafts[message.id]} acts={acts} />
          ))}
          {mayAct ? outside.map((interrupt) => <Question key={interrupt.id} interrupt={interrupt} />) : null}
        </div>
      </div>
      {atEnd ? null : (
        <div className="absolute bottom-28 left-1/2 -translate-x-1/2">
          <Button label="To the end" className="rounded-full shadow" onClick={toEnd}>
            <ArrowDown aria-hidden />
          </Button>
        </div>
      )}
      {mayAct ? (
        <div className="mx-auto w-full max-w-3xl px-4 pb-4">
          <Composer onSend={send} onStop={() => stop.mutate()} busy={isBusy} autoFocus />
        </div>
      ) : null}
    </div>
  )
}
