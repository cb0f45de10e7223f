// One chat with its details, trace and permissions.
import type { Chat } from '@millrace/contract/chats'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { ChartGantt, PanelRight, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useSession } from '../shell/session.tsx'
import { useRemoval } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { Page, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { uiStrings } from '../ui/strings.ts'
import { ChatDetails } from './chat-details.tsx'
import { ChatStatus, failureOf } from './chat-status.tsx'
import { ChatView } from './chat-view.tsx'
import { Permissions } from './permissions.tsx'
import { strings } from './strings.ts'
import { Trace } from './trace.tsx'
import { type LiveChat, useChat } from './use-chat.ts'

const words = strings.chat

/** Whether the person may send messages and answer requests: the owner, and members that the chat is shared with. The server decides. */
export const useMayAct = (chat: Chat | undefined): { mayAct: boolean; isOwner: boolean } => {
  const { me, team } = useSession()
  if (!chat) return { mayAct: false, isOwner: false }
  const isOwner = chat.user_id === me.user.id && chat.team_id === team.id
  return { isOwner, mayAct: isOwner || (chat.team_id === team.id && chat.visibility !== 'private') }
}

const latestRunOf = ({ chat, transcript }: LiveChat): string | undefined =>
  chat?.active_run_id ?? transcript.findLast(({ agent_run_id }) => agent_run_id !== '')?.agent_run_id

const Delete = ({ chat }: { chat: Chat }) => {
  const navigate = useNavigate()
  const remove = useRemoval({
    work: () => call('chats.delete', { path: { id: chat.id } }),
    resource: 'chats',
    done: words.deleted,
    leave: () => navigate({ to: '/chats' }),
  })
  return (
    <ConfirmButton
      label={uiStrings.delete}
      title={words.deleteTitle(chat.name ?? '')}
      confirm={uiStrings.delete}
      act={remove}
    >
      {words.deleteText}
    </ConfirmButton>
  )
}

type OpenDialog = 'trace' | 'permissions' | null

const ChatPage = () => {
  const { id } = useParams({ from: '/chats/$id' })
  const live = useChat(id)
  const { chat, error } = live
  const { mayAct, isOwner } = useMayAct(chat)
  const [showsDetails, setShowsDetails] = useState(false)
  const [dialog, setDialog] = useState<OpenDialog>(null)
  const trail = (
    <Link to="/chats" className="hover:underline">
      {strings.title}
    </Link>
  )
  if (!chat)
    return (
      <Page title={words.title} trail={trail}>
        {error ? <ProblemNote error={error} /> : <SkeletonRows />}
      </Page>
    )
  const runId = latestRunOf(live)
  return (
    <Page
      full
      title={chat.name || strings.untitled}
      trail={trail}
      note={
        <span className="flex min-w-0 items-center gap-2">
          <ChatStatus chat={chat} />
          <span className="truncate text-bad">{failureOf(chat)}</span>
        </span>
      }
      actions={
        <>
          <Button onClick={() => setDialog('trace')}>
            <ChartGantt aria-hidden /> {words.trace}
          </Button>
          {runId === undefined ? null : (
            <Button onClick={() => setDialog('permissions')}>
              <ShieldCheck aria-hidden /> {words.authority}
            </Button>
          )}
          {isOwner ? <Delete chat={chat} /> : null}
          <Button
            look="quiet"
            label={words.details}
            className="lg:hidden"
            onClick={() => setShowsDetails(!showsDetails)}
          >
            <PanelRight aria-hidden />
          </Button>
        </>
      }
    >
      <div className="flex min-h-0 grow border-t">
        <div className={classes('flex min-h-0 min-w-0 grow flex-col', showsDetails && 'max-lg:hidden')}>
          <ChatView live={live} mayAct={mayAct} />
        </div>
        <aside
          aria-label={words.details}
          className={classes(
            'w-full shrink-0 overflow-y-auto bg-surface lg:w-72 lg:border-l',
            !showsDetails && 'max-lg:hidden',
          )}
        >
          <ChatDetails chat={chat} mayAct={mayAct} isOwner={isOwner} />
        </aside>
      </div>
      <Dialog open={dialog === 'trace'} onClose={() => setDialog(null)} title={words.trace} wide>
        <Trace chatId={id} />
      </Dialog>
      <Dialog open={dialog === 'permissions'} onClose={() => setDialog(null)} title={words.authorityTitle} wide>
        {runId === undefined ? null : <Permissions runId={runId} />}
      </Dialog>
    </Page>
  )
}

export default ChatPage
