// What waits for a person, answered where it stands: approvals with the narrowest lasting permission first, gates,
// connections, and results that a program or a person hands in.
import type { Interrupt, ToolInvocation } from '@millrace/contract/chats'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronDown, ShieldQuestion } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { refresh } from '../api/refresh.ts'
import { ConnectButton } from '../secrets/connect-button.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { AreaField, TextField } from '../ui/field.tsx'
import { Menu } from '../ui/menu.tsx'
import { Badge, StatusIcon } from '../ui/status.tsx'

const touches = ['inbox']

const AlwaysAllow = ({ chatId, callId }: { chatId: string; callId: string }) => {
  const client = useQueryClient()
  const options = useQuery(read('tools.always_allow_options', { path: { chatId, id: callId } }))
  const allow = useAct({
    work: (option: string) => call('tools.always_allow', { path: { chatId, id: callId }, body: { option } }),
    touches,
    done: 'Allowed from now on',
    // The rule that it makes stands beside the chat. The chat itself is told by its stream, which knows more than an answer
    // that was asked for while the tool ran.
    after: () => refresh(client, { queryKey: read('chats.rules', { path: { id: chatId } }).queryKey }),
  })
  const offered = options.data?.options ?? []
  if (offered.length === 0) return null
  return (
    <Menu
      items={offered.map(({ key, label }) => ({ label, onSelect: () => allow.mutate(key) }))}
      trigger={
        <Button busy={allow.isPending}>
          Always allow <ChevronDown aria-hidden />
        </Button>
      }
    />
  )
}

const riskTone = { low: 'ok', medium: 'warn', high: 'bad' } as const

const Explain = ({ chatId, callId }: { chatId: string; callId: string }) => {
  const explain = useAct({ work: () => call('tools.explain', { path: { chatId, id: callId } }) })
  const { data } = explain
  if (!data)
    return (
      <Button look="quiet" busy={explain.isPending} onClick={() => explain.mutate()}>
        <ShieldQuestion aria-hidden /> What would it do?
      </Button>
    )
  return (
    <div className="w-full rounded-md bg-canvas px-3 py-2">
      <p className="flex items-center gap-2">
        <Badge tone={riskTone[data.risk_level]}>{data.risk_level} risk</Badge> {data.explanation}
      </p>
      {data.risk ? <p className="text-soft">{data.risk}</p> : null}
    </div>
  )
}

/** Allow once, always, or not. The buttons stand in this order wherever a call asks. */
export const Approval = ({ chatId, callId }: { chatId: string; callId: string }) => {
  const [refusing, setRefusing] = useState(false)
  const [reason, setReason] = useState('')
  const allow = useAct({ work: () => call('tools.invoke', { path: { id: callId } }), touches })
  const deny = useAct({
    work: () => call('tools.reject', { path: { id: callId }, body: reason === '' ? {} : { reason } }),
    touches,
  })
  if (refusing)
    return (
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          deny.mutate()
        }}
      >
        <TextField
          label="Why not"
          placeholder="The agent reads this; it may stay empty"
          fieldClass="min-w-56 grow"
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button type="submit" look="danger" busy={deny.isPending}>
          Deny
        </Button>
        <Button look="quiet" onClick={() => setRefusing(false)}>
          Back
        </Button>
      </form>
    )
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button look="primary" busy={allow.isPending} onClick={() => allow.mutate()}>
        Allow once
      </Button>
      <AlwaysAllow chatId={chatId} callId={callId} />
      <Button look="danger" onClick={() => setRefusing(true)}>
        Deny
      </Button>
      <Explain chatId={chatId} callId={callId} />
    </div>
  )
}

/** The result of a call that runs elsewhere, handed in by hand. */
export const HandIn = ({ invocation }: { invocation: ToolInvocation }) => {
  const [result, setResult] = useState('')
  const answer = useAct({
    work: () => call('tools.answer', { path: { id: invocation.id }, body: { result } }),
    touches,
  })
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        answer.mutate()
      }}
    >
      <AreaField
        label={`Result of ${invocation.display_name || invocation.function.name}`}
        help="This tool runs in the program that began the chat. You can answer in its place."
        rows={2}
        value={result}
        onChange={(event) => setResult(event.target.value)}
      />
      <Button type="submit" className="self-start" busy={answer.isPending} disabled={result === ''}>
        Hand in
      </Button>
    </form>
  )
}

const Decision = ({ interrupt, allowed, denied }: { interrupt: Interrupt; allowed: string; denied: string }) => {
  const resolve = useAct({
    work: (decision: 'allow' | 'deny') =>
      call('interrupts.resolve', { path: { id: interrupt.id }, body: { decision } }),
    touches,
  })
  return (
    <div className="flex flex-wrap gap-2">
      <Button look="primary" busy={resolve.isPending} onClick={() => resolve.mutate('allow')}>
        {allowed}
      </Button>
      <Button look="danger" disabled={resolve.isPending} onClick={() => resolve.mutate('deny')}>
        {denied}
      </Button>
    </div>
  )
}

type Meta = { event?: unknown; provider?: unknown; tool_name?: unknown; reason?: unknown }
const word = (value: unknown): string => (typeof value === 'string' ? value : '')

const providerOf = ({ meta }: Interrupt): string => word(((meta ?? {}) as Meta).provider)

export const questionOf = ({ reason, meta, source }: Interrupt): string => {
  const { event, provider, tool_name, reason: why } = (meta ?? {}) as Meta
  switch (reason) {
    case 'tool_approval':
      return `May it use ${word(tool_name)}?`
    case 'client_tool':
      return `${word(tool_name)} waits for its result`
    case 'widget':
      return 'A form waits to be filled in'
    case 'auth':
      return `It needs a connection to ${word(provider) || 'a service'}`
    case 'hook_gate':
      return `May it go on after ${word(event) || source}?`
    default:
      return word(why) || 'It asks whether it may go on'
  }
}

/** What is asked outside of any tool call: gates, confirmations, connections. */
export const Question = ({ interrupt }: { interrupt: Interrupt }) => (
  <section
    aria-label={questionOf(interrupt)}
    className="flex flex-col gap-2 rounded-lg border border-warn/50 bg-warn-soft p-3"
  >
    <p className="flex items-center gap-2 font-medium">
      <StatusIcon tone="yours" /> {questionOf(interrupt)}
    </p>
    {interrupt.reason === 'auth' ? (
      <div className="flex flex-wrap items-center gap-2">
        <ConnectButton provider={providerOf(interrupt)} name={providerOf(interrupt)} touches={touches} />
        <span className="text-soft">It goes on by itself then.</span>
        <Decision interrupt={interrupt} allowed="It is connected" denied="Go on without" />
      </div>
    ) : (
      <Decision interrupt={interrupt} allowed="Allow" denied="Deny" />
    )}
  </section>
)
