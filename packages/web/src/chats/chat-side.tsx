// Beside a conversation: the agent, its plan and memory, what it may do without asking, and who may see it.
import type { Chat, PlanStep } from '@millrace/contract/chats'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField, SelectField } from '../ui/field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { StatusIcon, toneOfNode } from '../ui/status.tsx'

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="border-b p-3 last:border-b-0">
    <h2 className="mb-1.5 font-medium">{title}</h2>
    {children}
  </section>
)

const Plan = ({ steps }: { steps: readonly PlanStep[] }) => (
  <ol className="flex flex-col gap-1">
    {steps.map(({ index, title, description, notes, status }) => (
      <li key={index} className="flex gap-2">
        <StatusIcon tone={toneOfNode(status === 'in_progress' ? 'running' : status)} className="mt-0.5" />
        <span className="min-w-0">
          {title}
          {description || notes ? <span className="block text-[12px] text-faint">{notes || description}</span> : null}
        </span>
      </li>
    ))}
  </ol>
)

/** Puts what was changed into the chat as it is shown; the rest of it is told by its stream. */
const useKeep = (id: string) => {
  const client = useQueryClient()
  return (changed: (held: Chat) => Partial<Chat>) =>
    client.setQueryData(read('chats.get', { path: { id } }).queryKey, (held) => held && { ...held, ...changed(held) })
}

/** Switched off at once; switched on after one question, which says what is given up. */
const AllowAll = ({ chat }: { chat: Chat }) => {
  const [asking, setAsking] = useState(false)
  const keep = useKeep(chat.id)
  const change = useAct({
    work: (allow_all_tools: boolean) => call('chats.settings', { path: { id: chat.id }, body: { allow_all_tools } }),
    after: ({ allow_all_tools }) => {
      keep((held) => ({ agent_data: { ...held.agent_data, allow_all_tools } }))
      setAsking(false)
    },
  })
  return (
    <>
      <CheckField
        label="Let every tool run unasked"
        help="In this chat only"
        checked={chat.agent_data.allow_all_tools}
        disabled={change.isPending}
        onChange={(event) => (event.target.checked ? setAsking(true) : change.mutate(false))}
      />
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title={`Let every tool run unasked in ${chat.name ? `“${chat.name}”` : 'this chat'}?`}
      >
        <p className="text-soft">
          The agent will use its tools without asking anybody, those marked to ask first as well, until you switch this
          off again. Rules that ask or forbid go on counting.
        </p>
        <div className="mt-3 flex justify-end gap-2">
          <Button onClick={() => setAsking(false)}>Keep asking</Button>
          <Button look="danger" busy={change.isPending} onClick={() => change.mutate(true)}>
            Let every tool run
          </Button>
        </div>
      </Dialog>
    </>
  )
}

const Rules = ({ chat, mayAct }: { chat: Chat; mayAct: boolean }) => {
  const rules = useQuery({ ...read('chats.rules', { path: { id: chat.id } }), enabled: mayAct })
  const remove = useAct({
    work: (ruleId: string) => call('chats.delete_rule', { path: { id: chat.id, ruleId } }),
    done: 'It asks again from now on',
    after: () => rules.refetch(),
  })
  return (
    <div className="flex flex-col gap-2">
      <ul className="flex flex-col gap-1">
        {(rules.data ?? []).map(({ id, effect, selector, specifier, label }) => (
          <li key={id} className="flex items-center gap-1">
            <span className="min-w-0 grow truncate" title={`${selector} ${specifier}`}>
              <span className="text-faint">{effect}</span> {label || `${selector} ${specifier}`}
            </span>
            {mayAct ? (
              <Button look="quiet" label={`Remove the rule for ${selector}`} onClick={() => remove.mutate(id)}>
                <Trash2 aria-hidden />
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {rules.data?.length === 0 ? <p className="text-faint">Nothing beyond what the agent itself may do.</p> : null}
      {mayAct ? <AllowAll chat={chat} /> : null}
    </div>
  )
}

type Shown = 'private' | 'team' | 'public'

/** Whose chat it is says who else sees it, and so do administrators of its workspace. */
const Sharing = ({ chat, isOwner }: { chat: Chat; isOwner: boolean }) => {
  const { team, isAdmin } = useSession()
  const keep = useKeep(chat.id)
  const show = useAct({
    work: (visibility: Shown) => call('chats.set_visibility', { path: { id: chat.id }, body: { visibility } }),
    after: ({ visibility }) => keep(() => ({ visibility })),
  })
  if (!isOwner && !(isAdmin && chat.team_id === team.id)) return null
  return (
    <Part title="Sharing">
      <SelectField
        label="Who sees this chat"
        value={chat.visibility}
        disabled={show.isPending}
        onChange={(event) => show.mutate(event.target.value as Shown)}
      >
        <option value="private">{isOwner ? 'Only you' : 'Only whose chat it is'}</option>
        <option value="team">The workspace, which may also speak</option>
        <option value="public">Everyone with the link, to read</option>
      </SelectField>
    </Part>
  )
}

export const ChatSide = ({ chat, mayAct, isOwner }: { chat: Chat; mayAct: boolean; isOwner: boolean }) => {
  const { plan_steps, memory } = chat.agent_data
  return (
    <>
      <Part title="Agent">
        {chat.agent ? (
          <Link to="/agents/$id" params={{ id: chat.agent_id }} className="text-accent hover:underline">
            {chat.agent.title || chat.agent.name}
          </Link>
        ) : (
          <p className="text-soft">Made for this chat only</p>
        )}
      </Part>
      {plan_steps.length > 0 ? (
        <Part title="Plan">
          <Plan steps={plan_steps} />
        </Part>
      ) : null}
      {Object.keys(memory).length > 0 ? (
        <Part title="Memory">
          <JsonView value={memory} />
        </Part>
      ) : null}
      {chat.output === null || chat.output === undefined ? null : (
        <Part title="Output">
          <JsonView value={chat.output} />
        </Part>
      )}
      {Object.keys(chat.context).length > 0 ? (
        <Part title="Context">
          <JsonView value={chat.context} />
        </Part>
      ) : null}
      <Part title="Allowed without asking">
        <Rules chat={chat} mayAct={mayAct} />
      </Part>
      <Sharing chat={chat} isOwner={isOwner} />
    </>
  )
}
