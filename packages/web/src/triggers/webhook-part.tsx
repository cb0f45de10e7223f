// The webhook URL of a trigger, its signature, and a test request.
import type { Trigger } from '@millrace/contract/triggers'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useCan } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock, CodeEditor } from '../ui/code.tsx'
import { parseJson } from '../ui/json-text.ts'
import { Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { canSign, signatureOf } from './sign.ts'
import { strings } from './strings.ts'

const isSigned = ({ source }: Trigger): boolean => (source ?? null) !== null && source?.strategy !== 'none'

const secretOf = ({ secret_ref }: Trigger['config']): string | undefined =>
  typeof secret_ref === 'string' && secret_ref !== '' ? secret_ref : undefined

/** The name of the signing secret; members who may read secrets can reveal the value. */
const SigningSecret = ({ config }: Pick<Trigger, 'config'>) => {
  const mayRead = useCan()('manage_vault')
  const key = secretOf(config)
  const reveal = useAct({ work: (name: string) => call('secrets.reveal', { path: { key: name } }) })
  if (key === undefined) return strings.webhook.noSecret
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
            {strings.webhook.reveal}
          </Button>
        ) : null}
      </span>
      {reveal.data ? <CodeBlock text={reveal.data.value} label={strings.webhook.secret} /> : null}
    </div>
  )
}

const Signature = ({ trigger: { source, config } }: { trigger: Trigger }) => (
  <dl className="mt-3 grid grid-cols-[92px_minmax(0,1fr)] gap-y-1.5">
    <dt className="text-faint">{strings.sender.source}</dt>
    <dd>{source?.name}</dd>
    <dt className="text-faint">{strings.webhook.signature}</dt>
    <dd className="flex flex-wrap items-center gap-2">
      <Badge>{source?.strategy}</Badge>
      {source?.strategy_config?.header ? (
        <span className="text-soft">
          {strings.webhook.header}{' '}
          <code className="break-all font-mono text-[12px]">{source.strategy_config.header}</code>
        </span>
      ) : null}
    </dd>
    <dt className="text-faint">{strings.webhook.secret}</dt>
    <dd>
      <SigningSecret config={config} />
    </dd>
  </dl>
)

export const WebhookUrl = ({ trigger }: { trigger: Trigger }) => (
  <Panel title={strings.webhook.url}>
    <CodeBlock text={trigger.webhook_url ?? ''} label={strings.webhook.url} />
    {isSigned(trigger) ? (
      <Signature trigger={trigger} />
    ) : (
      <p className="mt-2 text-[12px] text-faint">{strings.webhook.unsigned}</p>
    )}
  </Panel>
)

/** Sends to the webhook URL, as the external service does. */
const deliver = async ({ webhook_url }: Trigger, body: string, signature: Record<string, string>): Promise<string> => {
  const address = new URL(webhook_url ?? '/', location.href)
  const headers = { 'content-type': 'application/json', ...signature }
  const response = await fetch(address.pathname, { method: 'POST', headers, body })
  return `${response.status} ${await response.text()}`
}

/** A request may have any text as its body; running the trigger directly needs an object. */
const objectIn = (text: string): Record<string, unknown> | undefined => {
  const parsed = parseJson(text, 'object')
  return parsed.fault === undefined ? (parsed.value as Record<string, unknown> | undefined) : undefined
}

type TestMethod = 'plain' | 'signed' | 'fired'

/** Signing needs permission to read the secret; without it the trigger is run directly. */
const testMethodOf = ({ source, config }: Trigger, mayRead: boolean): TestMethod => {
  if (!source || source.strategy === 'none') return 'plain'
  return mayRead && secretOf(config) !== undefined && canSign(source) ? 'signed' : 'fired'
}

const deliverSigned = async (trigger: Trigger, body: string): Promise<string> => {
  const { source, config } = trigger
  if (!source) return deliver(trigger, body, {})
  const { value: secret } = await call('secrets.reveal', { path: { key: secretOf(config) ?? '' } })
  const delivery = { body, secret, nowMs: Date.now(), id: `msg_${crypto.randomUUID()}` }
  return deliver(trigger, body, await signatureOf(source, delivery))
}

const testMethods: Readonly<
  Record<TestMethod, { label: string; send: (trigger: Trigger, body: string) => Promise<string> }>
> = {
  plain: { label: strings.webhook.send, send: (trigger, body) => deliver(trigger, body, {}) },
  signed: { label: strings.webhook.sendSigned, send: deliverSigned },
  fired: {
    label: strings.webhook.run,
    send: async ({ id }, body) =>
      JSON.stringify(await call('triggers.fire', { path: { id }, body: objectIn(body) ?? {} })),
  },
}

const noteOf = (method: TestMethod, { source, config }: Trigger): string | undefined => {
  if (method === 'signed') return strings.webhook.signedNote(secretOf(config) ?? '', source?.name ?? '')
  return method === 'fired' ? strings.webhook.runNote(source?.name ?? '') : undefined
}

export const TestRequest = ({ trigger }: { trigger: Trigger }) => {
  const mayRead = useCan()('manage_vault')
  const [body, setBody] = useState('{\n  "text": "a first delivery"\n}')
  const method = testMethodOf(trigger, mayRead)
  const send = useAct({
    work: () => testMethods[method].send(trigger, body),
    touches: ['trigger_fires', 'triggers'],
  })
  const note = noteOf(method, trigger)
  return (
    <Panel title={strings.webhook.testTitle}>
      <div className="flex flex-col gap-3">
        <CodeEditor label={strings.webhook.body} value={body} onChange={setBody} />
        {note === undefined ? null : <p className="text-[12px] text-faint">{note}</p>}
        <Button
          className="self-start"
          busy={send.isPending}
          disabled={method === 'fired' && objectIn(body) === undefined}
          onClick={() => send.mutate()}
        >
          {testMethods[method].label}
        </Button>
        {send.data === undefined ? null : <CodeBlock text={send.data} label={strings.webhook.response} />}
      </div>
    </Panel>
  )
}
