// Requests of an agent to a person: approvals of tool calls, gates, connections, and results of client tools.
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
import { uiStrings } from '../ui/strings.ts'
import { strings } from './strings.ts'

const words = strings.approval
const touches = ['inbox']

const AlwaysAllow = ({ chatId, callId }: { chatId: string; callId: string }) => {
  const client = useQueryClient()
  const options = useQuery(read('tools.always_allow_options', { path: { chatId, id: callId } }))
  const allow = useAct({
    work: (option: string) => call('tools.always_allow', { path: { chatId, id: callId }, body: { option } }),
    touches,
    done: words.alwaysAllowed,
    // Shows the new rule in the chat details. The chat itself is updated by its stream.
    after: () => refresh(client, { queryKey: read('chats.rules', { path: { id: chatId } }).queryKey }),
  })
  const choices = options.data?.options ?? []
  if (choices.length === 0) return null
  return (
    <Menu
      items={choices.map(({ key, label }) => ({ label, onSelect: () => allow.mutate(key) }))}
      trigger={
        <Button busy={allow.isPending}>
          {words.alwaysAllow} <ChevronDown aria-hidden />
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
        <ShieldQuestion aria-hidden /> {words.explain}
      </Button>
    )
  return (
    <div className="w-full rounded-md bg-canvas px-3 py-2">
      <p className="flex items-center gap-2">
        <Badge tone={riskTone[data.risk_level]}>{words.risk(data.risk_level)}</Badge> {data.explanation}
      </p>
      {data.risk ? <p className="text-soft">{data.risk}</p> : null}
    </div>
  )
}

/** The buttons have the same order everywhere: allow once, always allow, deny. */
export const Approval = ({ chatId, callId }: { chatId: string; callId: string }) => {
  const [isDenying, setIsDenying] = useState(false)
  const [reason, setReason] = useState('')
  const allow = useAct({ work: () => call('tools.invoke', { path: { id: callId } }), touches })
  const deny = useAct({
    work: () => call('tools.reject', { path: { id: callId }, body: reason === '' ? {} : { reason } }),
    touches,
  })
  if (isDenying)
    return (
      <form
        className="flex flex-wrap items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          deny.mutate()
        }}
      >
        <TextField
          label={uiStrings.reasonOptional}
          placeholder={words.reasonHelp}
          fieldClass="min-w-56 grow"
          autoFocus
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        <Button type="submit" look="danger" busy={deny.isPending}>
          {words.deny}
        </Button>
        <Button look="quiet" onClick={() => setIsDenying(false)}>
          {uiStrings.cancel}
        </Button>
      </form>
    )
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button look="primary" busy={allow.isPending} onClick={() => allow.mutate()}>
        {words.allowOnce}
      </Button>
      <AlwaysAllow chatId={chatId} callId={callId} />
      <Button look="danger" onClick={() => setIsDenying(true)}>
        {words.deny}
      </Button>
      <Explain chatId={chatId} callId={callId} />
    </div>
  )
}

/** A form for the result of a tool that runs in the client. */
export const ResultForm = ({ invocation }: { invocation: ToolInvocation }) => {
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
        label={strings.tool.resultOf(invocation.display_name || invocation.function.name)}
        help={strings.tool.resultHelp}
        rows={2}
        value={result}
        onChange={(event) => setResult(event.target.value)}
      />
      <Button type="submit" className="self-start" busy={answer.isPending} disabled={result === ''}>
        {strings.tool.submitResult}
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
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const providerOf = ({ meta }: Interrupt): string => textOf(((meta ?? {}) as Meta).provider)

export const titleOf = ({ reason, meta, source }: Interrupt): string => {
  const { event, provider, tool_name, reason: detail } = (meta ?? {}) as Meta
  switch (reason) {
    case 'tool_approval':
      return words.titles.tool(textOf(tool_name))
    case 'client_tool':
      return words.titles.clientTool(textOf(tool_name))
    case 'widget':
      return words.titles.form
    case 'auth':
      return words.titles.connection(textOf(provider))
    case 'hook_gate':
      return words.titles.gate(textOf(event) || source)
    default:
      return textOf(detail) || words.titles.other
  }
}

/** A request outside of a tool call: a gate, a confirmation, a connection. */
export const Request = ({ interrupt }: { interrupt: Interrupt }) => (
  <section
    aria-label={titleOf(interrupt)}
    className="flex flex-col gap-2 rounded-lg border border-warn/50 bg-warn-soft p-3"
  >
    <p className="flex items-center gap-2 font-medium">
      <StatusIcon tone="yours" /> {titleOf(interrupt)}
    </p>
    {interrupt.reason === 'auth' ? (
      <div className="flex flex-wrap items-center gap-2">
        <ConnectButton provider={providerOf(interrupt)} name={providerOf(interrupt)} touches={touches} />
        <span className="text-soft">{words.connectionHelp}</span>
        <Decision interrupt={interrupt} allowed={words.connected} denied={words.skipConnection} />
      </div>
    ) : (
      <Decision interrupt={interrupt} allowed={words.allow} denied={words.deny} />
    )}
  </section>
)
