// The secrets that sign webhooks. While one is changed, the former signs too, so that receivers can change theirs in between.
import type { Secret } from '@millrace/contract/secrets'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useCan } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { Panel, ProblemNote, Skeleton } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'

/** Names that the server looks for. */
const present = 'WEBHOOK_SIGNING_SECRET'
const former = 'WEBHOOK_SIGNING_SECRET_PREVIOUS'

const keyBytes = 32

/** As Standard Webhooks writes one. */
const freshSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(keyBytes))))}`

type Held = { now: Secret | undefined; before: Secret | undefined }

/** What signed until now is kept as the former one before anything else signs. */
const change = async ({ now, before }: Held, value: string): Promise<void> => {
  if (!now) {
    await call('secrets.create', { body: { key: present, value, description: 'Signs webhooks' } })
    return
  }
  const { value: old } = await call('secrets.reveal', { path: { key: present } })
  if (before) await call('secrets.update', { path: { key: former }, body: { value: old } })
  else await call('secrets.create', { body: { key: former, value: old, description: 'Signs webhooks for a while' } })
  await call('secrets.update', { path: { key: present }, body: { value } })
}

const ChangeForm = ({ held, onDone }: { held: Held; onDone: () => void }) => {
  const [value, setValue] = useState(freshSecret)
  const save = useAct({
    work: () => change(held, value),
    touches: ['secrets'],
    done: held.now ? 'Both sign from now on' : 'Webhooks are signed from now on',
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={held.now ? 'Sign with it too' : 'Sign with it'}>
      <TextField
        label="New secret"
        required
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-[12px]"
        help="Give it to whoever receives the webhooks before you go on"
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      {held.now ? (
        <p className="text-soft">
          The secret until now signs beside it until you end that. It is read to be kept, which the audit log records.
        </p>
      ) : null}
    </Form>
  )
}

const Words = ({ now, before }: Held) => {
  if (!now)
    return <p className="text-soft">Webhooks are not signed: whoever receives them cannot tell who sent them.</p>
  return (
    <div className="text-soft">
      <p>
        <Badge tone="ok">signed</Badge> with {present}, as of <Ago time={now.updated_at} />
      </p>
      {before ? (
        <p className="mt-1">
          <Badge tone="warn">overlap</Badge> {former} signs too, as of <Ago time={before.updated_at} />
        </p>
      ) : null}
    </div>
  )
}

export const WebhookSecrets = () => {
  const mayChange = useCan()('manage_vault')
  const [open, setOpen] = useState(false)
  const list = useList('secrets.list', { filters: [{ field: 'key', operator: 'in', value: [present, former] }] })
  const held: Held = {
    now: list.items.find(({ key }) => key === present),
    before: list.items.find(({ key }) => key === former),
  }
  const end = useAct({
    work: () => call('secrets.delete', { path: { key: former } }),
    touches: ['secrets'],
    done: 'Only the new secret signs',
    quiet: true,
  })
  return (
    <Panel
      title="Signature"
      actions={
        mayChange && !list.isLoading && !list.error ? (
          <>
            {held.before ? (
              <ConfirmButton
                label="End the overlap"
                title="Sign with the new secret alone?"
                confirm="End the overlap"
                act={() => end.mutateAsync()}
              >
                Whoever still checks with the former secret refuses every webhook from then on. {former} is deleted.
              </ConfirmButton>
            ) : null}
            <Button onClick={() => setOpen(true)}>{held.now ? 'Change the secret' : 'Sign them'}</Button>
          </>
        ) : null
      }
    >
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      {list.isLoading ? <Skeleton className="h-5" /> : null}
      {list.isLoading || list.error ? null : <Words {...held} />}
      <Dialog open={open} onClose={() => setOpen(false)} title={held.now ? 'Change the secret' : 'Sign webhooks'}>
        <ChangeForm held={held} onDone={() => setOpen(false)} />
      </Dialog>
    </Panel>
  )
}
