// The secrets that sign webhooks. During a rotation both the current and the previous secret sign, so that receivers can switch.
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
import { strings } from './strings.ts'

/** Names that the server reads. */
const currentKey = 'WEBHOOK_SIGNING_SECRET'
const previousKey = 'WEBHOOK_SIGNING_SECRET_PREVIOUS'

const keyBytes = 32

/** In the format of Standard Webhooks. */
const generateSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(keyBytes))))}`

type SigningSecrets = { current: Secret | undefined; previous: Secret | undefined }

/** Stores the current secret as the previous one before it is replaced. */
const rotate = async ({ current, previous }: SigningSecrets, value: string): Promise<void> => {
  if (!current) {
    await call('secrets.create', { body: { key: currentKey, value, description: strings.signing.description } })
    return
  }
  const { value: old } = await call('secrets.reveal', { path: { key: currentKey } })
  if (previous) await call('secrets.update', { path: { key: previousKey }, body: { value: old } })
  else
    await call('secrets.create', {
      body: { key: previousKey, value: old, description: strings.signing.previousDescription },
    })
  await call('secrets.update', { path: { key: currentKey }, body: { value } })
}

const ChangeForm = ({ signingSecrets, onDone }: { signingSecrets: SigningSecrets; onDone: () => void }) => {
  const [value, setValue] = useState(generateSecret)
  const save = useAct({
    work: () => rotate(signingSecrets, value),
    touches: ['secrets'],
    done: signingSecrets.current ? strings.signing.rotated : strings.signing.enabled,
    after: onDone,
    quiet: true,
  })
  return (
    <Form act={save} submit={signingSecrets.current ? strings.signing.rotate : strings.signing.enable}>
      <TextField
        label={strings.signing.newSecret}
        required
        autoComplete="off"
        spellCheck={false}
        className="font-mono text-[12px]"
        help={strings.signing.newSecretHelp}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      {signingSecrets.current ? <p className="text-soft">{strings.signing.rotateText}</p> : null}
    </Form>
  )
}

const Summary = ({ current, previous }: SigningSecrets) => {
  if (!current) return <p className="text-soft">{strings.signing.unsigned}</p>
  return (
    <div className="text-soft">
      <p>
        <Badge tone="ok">{strings.signing.signed}</Badge> {strings.signing.signedWith} {currentKey}
        {strings.signing.since} <Ago time={current.updated_at} />
      </p>
      {previous ? (
        <p className="mt-1">
          <Badge tone="warn">{strings.signing.twoSecrets}</Badge> {strings.signing.alsoSignedWith(previousKey)}{' '}
          <Ago time={previous.updated_at} />
        </p>
      ) : null}
    </div>
  )
}

export const WebhookSecrets = () => {
  const mayChange = useCan()('manage_vault')
  const [open, setOpen] = useState(false)
  const list = useList('secrets.list', {
    filters: [{ field: 'key', operator: 'in', value: [currentKey, previousKey] }],
  })
  const signingSecrets: SigningSecrets = {
    current: list.items.find(({ key }) => key === currentKey),
    previous: list.items.find(({ key }) => key === previousKey),
  }
  const end = useAct({
    work: () => call('secrets.delete', { path: { key: previousKey } }),
    touches: ['secrets'],
    done: strings.signing.previousRemoved,
    quiet: true,
  })
  return (
    <Panel
      title={strings.signing.title}
      actions={
        mayChange && !list.isLoading && !list.error ? (
          <>
            {signingSecrets.previous ? (
              <ConfirmButton
                label={strings.signing.removePrevious}
                title={strings.signing.removePreviousTitle}
                confirm={strings.signing.removePrevious}
                act={() => end.mutateAsync()}
              >
                {strings.signing.removePreviousText(previousKey)}
              </ConfirmButton>
            ) : null}
            <Button onClick={() => setOpen(true)}>
              {signingSecrets.current ? strings.signing.rotate : strings.signing.enable}
            </Button>
          </>
        ) : null
      }
    >
      {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
      {list.isLoading ? <Skeleton className="h-5" /> : null}
      {list.isLoading || list.error ? null : <Summary {...signingSecrets} />}
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={signingSecrets.current ? strings.signing.rotate : strings.signing.enable}
      >
        <ChangeForm signingSecrets={signingSecrets} onDone={() => setOpen(false)} />
      </Dialog>
    </Panel>
  )
}
