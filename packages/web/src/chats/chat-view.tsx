// The messages of a chat, its pending requests and the composer. Used on the chat page and next to the agent editor.
import { useNavigate } from '@tanstack/react-router'
import { ArrowDown } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { Request } from './approvals.tsx'
import { Composer, type OutgoingMessage } from './composer.tsx'
import { Message, type MessageActions } from './message.tsx'
import { strings } from './strings.ts'
import type { LiveChat } from './use-chat.ts'

/** Pixels from the end that count as the end. */
const endTolerance = 48

/** Scrolls to the end when messages or the window change, unless the reader has scrolled up. */
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
    if (current) setAtEnd(current.scrollHeight - current.scrollTop - current.clientHeight < endTolerance)
  }
  return { scroller, onScroll, atEnd, toEnd: () => setAtEnd(true) }
}

const useActions = (chatId: string, mayAct: boolean): MessageActions => {
  const navigate = useNavigate()
  const { mutate: cancelQueued } = useAct({ work: (id: string) => call('chat_messages.cancel', { path: { id } }) })
  const { mutate: fork } = useAct({
    work: (message_id: string) => call('chats.fork', { path: { id: chatId }, body: { message_id } }),
    done: strings.chat.forked,
    after: ({ id }) => navigate({ to: '/chats/$id', params: { id } }),
  })
  return useMemo(() => ({ cancelQueued, fork, mayAct }), [cancelQueued, fork, mayAct])
}

export const ChatView = ({ live, mayAct }: { live: LiveChat; mayAct: boolean }) => {
  const { chat, transcript, drafts, older, isLoading, error } = live
  const id = chat?.id ?? ''
  const { scroller, onScroll, atEnd, toEnd } = useFollowEnd()
  const actions = useActions(id, mayAct)
  const stop = useAct({ work: () => call('chats.stop', { path: { id } }), touches: ['inbox'] })
  const send = ({ text, attachments }: OutgoingMessage) => {
    toEnd()
    return call('chats.send', {
      path: { id },
      body: { message: text, ...(attachments.length > 0 ? { attachments } : {}) },
    })
  }
  const requests = (chat?.pending_interrupts ?? []).filter(
    ({ reason }) => reason !== 'tool_approval' && reason !== 'client_tool' && reason !== 'widget',
  )
  const isBusy = chat?.status === 'busy' || chat?.status === 'awaiting_input'
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <div ref={scroller} onScroll={onScroll} className="min-h-0 grow overflow-y-auto">
        <div
          role="log"
          aria-label={strings.chat.messages}
          className="mx-auto flex w-full max-w-3xl flex-col gap-5 px-4 py-4"
        >
          {older ? (
            <Button look="quiet" className="self-center" onClick={older}>
              {strings.chat.earlier}
            </Button>
          ) : null}
          {error ? <ProblemNote error={error} /> : null}
          {isLoading && !error ? <SkeletonRows rows={4} /> : null}
          {transcript.map((message) => (
            <Message key={message.id} message={message} draft={drafts[message.id]} actions={actions} />
          ))}
          {mayAct ? requests.map((interrupt) => <Request key={interrupt.id} interrupt={interrupt} />) : null}
        </div>
      </div>
      {atEnd ? null : (
        <div className="absolute bottom-28 left-1/2 -translate-x-1/2">
          <Button label={strings.chat.toEnd} className="rounded-full shadow" onClick={toEnd}>
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
