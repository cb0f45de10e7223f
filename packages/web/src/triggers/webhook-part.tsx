// The address of a webhook, who may send to it, and a test of it.
import type { Trigger } from '@millrace/contract/triggers'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { refresh } from '../api/refresh.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock, CodeEditor } from '../ui/code.tsx'
import { notifyProblem } from '../ui/notify.ts'
import { Panel } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { inputIn, isObjectText } from './input-part.tsx'

const isSigned = ({ source }: Trigger): boolean => (source ?? null) !== null && source?.strategy !== 'none'

const Signed = ({ trigger: { source, config } }: { trigger: Trigger }) => (
  <dl className="mt-3 grid grid-cols-[92px_1fr] gap-y-1.5">
    <dt className="text-faint">Sender</dt>
    <dd>{source?.name}</dd>
    <dt className="text-faint">Signed by</dt>
    <dd className="flex flex-wrap items-center gap-2">
      <Badge>{source?.strategy}</Badge>
      {source?.strategy_config?.header ? (
        <span className="text-soft">
          in the header <code className="font-mono text-[12px]">{source.strategy_config.header}</code>
        </span>
      ) : null}
    </dd>
    <dt className="text-faint">Secret</dt>
    <dd>
      <code className="font-mono text-[12px]">{String(config.secret_ref ?? 'none yet')}</code>
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

/**
 * Sends to the hook's own address, as the service will: what comes of it shows in the log below. What has to be signed cannot
 * be sent from here, where nobody knows the secret; then the trigger is fired with it.
 */
export const SendTest = ({ trigger }: { trigger: Trigger }) => {
  const client = useQueryClient()
  const [body, setBody] = useState('{\n  "text": "a first delivery"\n}')
  const [answer, setAnswer] = useState<string>()
  const [busy, setBusy] = useState(false)
  const signed = isSigned(trigger)
  const deliver = async (): Promise<string> => {
    const address = new URL(trigger.webhook_url ?? '/', location.href)
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(address.pathname, { method: 'POST', headers, body })
    return `${response.status} ${await response.text()}`
  }
  const fire = async (): Promise<string> =>
    JSON.stringify(await call('triggers.fire', { path: { id: trigger.id }, body: inputIn(body) }))
  const send = async () => {
    setBusy(true)
    try {
      setAnswer(await (signed ? fire() : deliver()))
      await refresh(client, { queryKey: ['trigger_fires'] })
    } catch (error) {
      notifyProblem(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Panel title="Send a test">
      <div className="flex flex-col gap-3">
        <CodeEditor label="What is sent" value={body} onChange={setBody} />
        {signed ? (
          <p className="text-[12px] text-faint">
            The address takes only what {trigger.source?.name} has signed. From here the trigger is fired with this, as
            if it had been.
          </p>
        ) : null}
        <Button className="self-start" busy={busy} disabled={signed && !isObjectText(body)} onClick={() => void send()}>
          {signed ? 'Fire it with this' : 'Send it to the address'}
        </Button>
        {answer === undefined ? null : <CodeBlock text={answer} label="Answer" />}
      </div>
    </Panel>
  )
}
