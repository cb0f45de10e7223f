// The address of a webhook, who may send to it, and a test of it.
import type { Trigger } from '@millrace/contract/triggers'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useCan } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock, CodeEditor } from '../ui/code.tsx'
import { Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { inputIn, isObjectText } from './input-part.tsx'
import { canSign, signatureOf } from './sign.ts'

const isSigned = ({ source }: Trigger): boolean => (source ?? null) !== null && source?.strategy !== 'none'

const secretOf = ({ secret_ref }: Trigger['config']): string | undefined =>
  typeof secret_ref === 'string' && secret_ref !== '' ? secret_ref : undefined

/** By its name; whoever may read it can have it here, to be given to the sender. */
const SecretOf = ({ config }: Pick<Trigger, 'config'>) => {
  const mayRead = useCan()('manage_vault')
  const key = secretOf(config)
  const reveal = useAct({ work: (name: string) => call('secrets.reveal', { path: { key: name } }) })
  if (key === undefined) return 'none yet'
  return (
    <div className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-2">
        <code className="break-all font-mono text-[12px]">{key}</code>
        {mayRead && !reveal.data ? (
          <Button
            look="quiet"
            className="h-auto min-h-6 whitespace-normal text-left"
            busy={reveal.isPending}
            onClick={() => reveal.mutate(key)}
          >
            Reveal, which the audit log records
          </Button>
        ) : null}
      </span>
      {reveal.data ? <CodeBlock text={reveal.data.value} label="The secret" /> : null}
    </div>
  )
}

const Signed = ({ trigger: { source, config } }: { trigger: Trigger }) => (
  <dl className="mt-3 grid grid-cols-[92px_minmax(0,1fr)] gap-y-1.5">
    <dt className="text-faint">Sender</dt>
    <dd>{source?.name}</dd>
    <dt className="text-faint">Signed by</dt>
    <dd className="flex flex-wrap items-center gap-2">
      <Badge>{source?.strategy}</Badge>
      {source?.strategy_config?.header ? (
        <span className="text-soft">
          in the header <code className="break-all font-mono text-[12px]">{source.strategy_config.header}</code>
        </span>
      ) : null}
    </dd>
    <dt className="text-faint">Secret</dt>
    <dd>
      <SecretOf config={config} />
    </dd>
  </dl>
)

export const Address = ({ trigger }: { trigger: Trigger }) => (
  <Panel title="Address to send to">
    <CodeBlock text={trigger.webhook_url ?? ''} label="Address" />
    {isSigned(trigger) ? (
      <Signed trigger={trigger} />
    ) : (
      <p className="mt-2 text-[12px] text-faint">Whoever knows the address can send to it; nothing has to be signed.</p>
    )}
  </Panel>
)

/** To the hook's own address, as the service will. */
const deliver = async ({ webhook_url }: Trigger, body: string, signature: Record<string, string>): Promise<string> => {
  const address = new URL(webhook_url ?? '/', location.href)
  const headers = { 'content-type': 'application/json', ...signature }
  const response = await fetch(address.pathname, { method: 'POST', headers, body })
  return `${response.status} ${await response.text()}`
}

type Way = 'plain' | 'signed' | 'fired'

/** What has to be signed is signed here by whoever may read the secret; for others the trigger is fired with it instead. */
const wayOf = ({ source, config }: Trigger, mayRead: boolean): Way => {
  if (!source || source.strategy === 'none') return 'plain'
  return mayRead && secretOf(config) !== undefined && canSign(source) ? 'signed' : 'fired'
}

const deliverSigned = async (trigger: Trigger, body: string): Promise<string> => {
  const { source, config } = trigger
  if (!source) return deliver(trigger, body, {})
  const { value: secret } = await call('secrets.reveal', { path: { key: secretOf(config) ?? '' } })
  const letter = { body, secret, nowMs: Date.now(), id: `msg_${crypto.randomUUID()}` }
  return deliver(trigger, body, await signatureOf(source, letter))
}

const ways: Readonly<Record<Way, { label: string; send: (trigger: Trigger, body: string) => Promise<string> }>> = {
  plain: { label: 'Send it to the address', send: (trigger, body) => deliver(trigger, body, {}) },
  signed: { label: 'Sign it and send it', send: deliverSigned },
  fired: {
    label: 'Fire it with this',
    send: async ({ id }, body) => JSON.stringify(await call('triggers.fire', { path: { id }, body: inputIn(body) })),
  },
}

const noteOf = (way: Way, { source, config }: Trigger): string | undefined => {
  if (way === 'signed')
    return `Signed with ${secretOf(config)} as ${source?.name} would. The audit log records that the secret was read for it.`
  return way === 'fired'
    ? `The address takes only what ${source?.name} has signed. From here the trigger is fired with this, as if it had been.`
    : undefined
}

/** What comes of it shows in the log below. */
export const SendTest = ({ trigger }: { trigger: Trigger }) => {
  const mayRead = useCan()('manage_vault')
  const [body, setBody] = useState('{\n  "text": "a first delivery"\n}')
  const way = wayOf(trigger, mayRead)
  const send = useAct({
    work: () => ways[way].send(trigger, body),
    touches: ['trigger_fires', 'triggers'],
  })
  const note = noteOf(way, trigger)
  return (
    <Panel title="Send a test">
      <div className="flex flex-col gap-3">
        <CodeEditor label="What is sent" value={body} onChange={setBody} />
        {note === undefined ? null : <p className="text-[12px] text-faint">{note}</p>}
        <Button
          className="self-start"
          busy={send.isPending}
          disabled={way === 'fired' && !isObjectText(body)}
          onClick={() => send.mutate()}
        >
          {ways[way].label}
        </Button>
        {send.data === undefined ? null : <CodeBlock text={send.data} label="Answer" />}
      </div>
    </Panel>
  )
}
