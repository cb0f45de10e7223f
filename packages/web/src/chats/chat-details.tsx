// The details of a chat: agent, plan, memory, output, automatic approvals and sharing.
import type { Chat, PlanStep } from '@millrace/contract/chats'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useSession } from '../shell/session.tsx'
import { VisibilityField } from '../shell/visibility-field.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CheckField } from '../ui/field.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { StatusIcon, toneOfNode } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

const words = strings.details

const Section = ({ title, children }: { title: string; children: ReactNode }) => (
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

/** Writes a change into the cached chat; all other changes arrive with its stream. */
const useUpdateCache = (id: string) => {
  const client = useQueryClient()
  return (change: (chat: Chat) => Partial<Chat>) =>
    client.setQueryData(read('chats.get', { path: { id } }).queryKey, (chat) => chat && { ...chat, ...change(chat) })
}

/** Turning it on needs a confirmation, turning it off does not. */
const AllowAll = ({ chat }: { chat: Chat }) => {
  const [isConfirming, setIsConfirming] = useState(false)
  const updateCache = useUpdateCache(chat.id)
  const change = useAct({
    work: (allow_all_tools: boolean) => call('chats.settings', { path: { id: chat.id }, body: { allow_all_tools } }),
    after: ({ allow_all_tools }) => {
      updateCache((cached) => ({ agent_data: { ...cached.agent_data, allow_all_tools } }))
      setIsConfirming(false)
    },
  })
  return (
    <>
      <CheckField
        label={words.allowAll}
        help={words.allowAllHelp}
        checked={chat.agent_data.allow_all_tools}
        disabled={change.isPending}
        onChange={(event) => (event.target.checked ? setIsConfirming(true) : change.mutate(false))}
      />
      <Dialog open={isConfirming} onClose={() => setIsConfirming(false)} title={words.allowAllTitle(chat.name ?? '')}>
        <p className="text-soft">{words.allowAllText}</p>
        <div className="mt-3 flex justify-end gap-2">
          <Button onClick={() => setIsConfirming(false)}>{uiStrings.cancel}</Button>
          <Button look="danger" busy={change.isPending} onClick={() => change.mutate(true)}>
            {words.allowAll}
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
    done: words.ruleRemoved,
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
              <Button look="quiet" label={words.removeRule(selector)} onClick={() => remove.mutate(id)}>
                <Trash2 aria-hidden />
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {rules.data?.length === 0 ? <p className="text-faint">{words.noRules}</p> : null}
      {mayAct ? <AllowAll chat={chat} /> : null}
    </div>
  )
}

const chatVisibilities = ['private', 'team', 'public'] as const
type ChatVisibility = (typeof chatVisibilities)[number]

/** The owner and the admins of the workspace can change the visibility. */
const Sharing = ({ chat, isOwner }: { chat: Chat; isOwner: boolean }) => {
  const { team, isAdmin } = useSession()
  const updateCache = useUpdateCache(chat.id)
  const setVisibility = useAct({
    work: (visibility: ChatVisibility) => call('chats.set_visibility', { path: { id: chat.id }, body: { visibility } }),
    after: ({ visibility }) => updateCache(() => ({ visibility })),
  })
  if (!isOwner && !(isAdmin && chat.team_id === team.id)) return null
  return (
    <Section title={words.sharing}>
      <VisibilityField
        help={words.visibilityHelp[chat.visibility as ChatVisibility]}
        value={chat.visibility}
        choices={chatVisibilities}
        disabled={setVisibility.isPending}
        onChoose={setVisibility.mutate}
      />
    </Section>
  )
}

export const ChatDetails = ({ chat, mayAct, isOwner }: { chat: Chat; mayAct: boolean; isOwner: boolean }) => {
  const { plan_steps, memory } = chat.agent_data
  return (
    <>
      <Section title={words.agent}>
        {chat.agent ? (
          <Link to="/agents/$id" params={{ id: chat.agent_id }} className="text-accent hover:underline">
            {chat.agent.title || chat.agent.name}
          </Link>
        ) : (
          <p className="text-soft">{words.adHoc}</p>
        )}
      </Section>
      {plan_steps.length > 0 ? (
        <Section title={words.plan}>
          <Plan steps={plan_steps} />
        </Section>
      ) : null}
      {Object.keys(memory).length > 0 ? (
        <Section title={words.memory}>
          <JsonView value={memory} />
        </Section>
      ) : null}
      {chat.output === null || chat.output === undefined ? null : (
        <Section title={words.output}>
          <JsonView value={chat.output} />
        </Section>
      )}
      {Object.keys(chat.context).length > 0 ? (
        <Section title={words.context}>
          <JsonView value={chat.context} />
        </Section>
      ) : null}
      <Section title={words.rules}>
        <Rules chat={chat} mayAct={mayAct} />
      </Section>
      <Sharing chat={chat} isOwner={isOwner} />
    </>
  )
}
