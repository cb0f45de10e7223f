// One chat on its own page.
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
import { AuthorityView } from './authority.tsx'
import { ChatSide } from './chat-side.tsx'
import { ChatStatus } from './chat-status.tsx'
import { ChatView } from './chat-view.tsx'
import { Trace } from './trace.tsx'
import { type LiveChat, useChat } from './use-chat.ts'

/** Who is asked to speak: the one whose chat it is, and colleagues it is shared with. The server has the last word. */
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
    done: 'Deleted',
    leave: () => navigate({ to: '/chats' }),
  })
  return (
    <ConfirmButton
      label="Delete"
      title={chat.name ? `Delete “${chat.name}”?` : 'Delete this chat?'}
      confirm="Delete"
      act={remove}
    >
      What runs in it is stopped, and nobody can read it any more.
    </ConfirmButton>
  )
}

type Shown = 'trace' | 'authority' | null

const ChatPage = () => {
  const { id } = useParams({ from: '/chats/$id' })
  const live = useChat(id)
  const { chat, error } = live
  const { mayAct, isOwner } = useMayAct(chat)
  const [side, setSide] = useState(false)
  const [shown, setShown] = useState<Shown>(null)
  const trail = (
    <Link to="/chats" className="hover:underline">
      Chats
    </Link>
  )
  if (!chat)
    return (
      <Page title="Chat" trail={trail}>
        {error ? <ProblemNote error={error} /> : <SkeletonRows />}
      </Page>
    )
  const runId = latestRunOf(live)
  return (
    <Page
      full
      title={chat.name || 'New chat'}
      trail={trail}
      note={<ChatStatus chat={chat} />}
      actions={
        <>
          <Button onClick={() => setShown('trace')}>
            <ChartGantt aria-hidden /> Trace
          </Button>
          {runId === undefined ? null : (
            <Button onClick={() => setShown('authority')}>
              <ShieldCheck aria-hidden /> Authority
            </Button>
          )}
          {isOwner ? <Delete chat={chat} /> : null}
          <Button look="quiet" label="About this chat" className="lg:hidden" onClick={() => setSide(!side)}>
            <PanelRight aria-hidden />
          </Button>
        </>
      }
    >
      <div className="flex min-h-0 grow border-t">
        <div className={classes('flex min-h-0 min-w-0 grow flex-col', side && 'max-lg:hidden')}>
          <ChatView live={live} mayAct={mayAct} />
        </div>
        <aside
          aria-label="About this chat"
          className={classes(
            'w-full shrink-0 overflow-y-auto bg-surface lg:w-72 lg:border-l',
            !side && 'max-lg:hidden',
          )}
        >
          <ChatSide chat={chat} mayAct={mayAct} isOwner={isOwner} />
        </aside>
      </div>
      <Dialog open={shown === 'trace'} onClose={() => setShown(null)} title="Trace" wide>
        <Trace chatId={id} />
      </Dialog>
      <Dialog
        open={shown === 'authority'}
        onClose={() => setShown(null)}
        title="Why this run could do what it did"
        wide
      >
        {runId === undefined ? null : <AuthorityView runId={runId} />}
      </Dialog>
    </Page>
  )
}

export default ChatPage
