// Who sends to a webhook, and the secret that signs what is sent: one that is kept already, or one that is made here.
import type { TriggerSource } from '@millrace/contract/triggers'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useCan } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { ProblemNote } from '../ui/page.tsx'
import { Picker, useMatches } from '../ui/picker.tsx'
import { madeUpSecret } from './sign.ts'

const NewSecret = ({ source, onMade }: { source: TriggerSource; onMade: (key: string, value: string) => void }) => {
  const [key, setKey] = useState(`${source.key.replaceAll('-', '_').toUpperCase()}_WEBHOOK_SECRET`)
  const [value, setValue] = useState('')
  const keep = useAct({
    work: () => call('secrets.create', { body: { key, value, description: `Signs webhooks of ${source.name}` } }),
    touches: ['secrets'],
    after: () => onMade(key, value),
    quiet: true,
  })
  return (
    <div className="flex flex-col gap-3 rounded-md border p-3 sm:col-span-2">
      <TextField label="Name of the new secret" value={key} onChange={(event) => setKey(event.target.value)} />
      <TextField
        label="Its value"
        autoComplete="off"
        className="font-mono text-[12px]"
        help={`What ${source.name} shows you, or one that is made up here and given to it`}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      {keep.error ? <ProblemNote error={keep.error} /> : null}
      <div className="flex gap-2">
        <Button busy={keep.isPending} disabled={key === '' || value === ''} onClick={() => keep.mutate()}>
          Keep it
        </Button>
        {source.strategy === 'ed25519' ? null : (
          <Button look="quiet" onClick={() => setValue(madeUpSecret(source))}>
            Make one up
          </Button>
        )}
      </div>
    </div>
  )
}

type SecretPartProps = { source: TriggerSource; secretRef: string; onChoose: (key: string) => void }

const SecretPart = ({ source, secretRef, onChoose }: SecretPartProps) => {
  const mayMake = useCan()('manage_vault')
  const [term, setTerm] = useState('')
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<{ key: string; value: string }>()
  const secrets = useMatches('secrets.list', term, { sort: [{ field: 'key', dir: 'asc' }] })
  return (
    <>
      <Picker
        label="Secret that signs"
        required
        help={`${source.name} signs with it (${source.strategy}).`}
        chosen={secretRef === '' ? null : { value: secretRef, label: secretRef }}
        groups={[{ choices: secrets.items.map(({ key }) => ({ value: key, label: key })) }]}
        isLoading={secrets.isLoading}
        onTerm={setTerm}
        onChoose={({ value }) => onChoose(value)}
      />
      {mayMake && !isMaking ? (
        <Button className="self-start sm:col-span-2" onClick={() => setIsMaking(true)}>
          Make a new secret
        </Button>
      ) : null}
      {isMaking ? (
        <NewSecret
          key={source.id}
          source={source}
          onMade={(key, value) => {
            setIsMaking(false)
            setMade({ key, value })
            onChoose(key)
          }}
        />
      ) : null}
      {made && made.key === secretRef ? (
        <div className="flex flex-col gap-1 sm:col-span-2">
          <p className="text-soft">{`${made.key} is kept. Give it to ${source.name}:`}</p>
          <CodeBlock text={made.value} label="The new secret" />
        </div>
      ) : null}
    </>
  )
}

type SenderPartProps = {
  sourceId: string
  secretRef: string
  set: (part: { sourceId?: string; secretRef?: string }) => void
}

export const SenderPart = ({ sourceId, secretRef, set }: SenderPartProps) => {
  const sources = useQuery(read('trigger_sources.list'))
  const source = sources.data?.find(({ id }) => id === sourceId)
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <SelectField
        label="Who sends"
        value={sourceId}
        help={source?.description}
        onChange={(event) => set({ sourceId: event.target.value, secretRef: '' })}
      >
        <option value="">Anyone who knows the address</option>
        {(sources.data ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {source && source.strategy !== 'none' ? (
        <SecretPart key={source.id} source={source} secretRef={secretRef} onChoose={(key) => set({ secretRef: key })} />
      ) : null}
      <p className="text-soft sm:col-span-2">
        The address to send to is shown as soon as the trigger is there, with a test to send.
      </p>
    </div>
  )
}
