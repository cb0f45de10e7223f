// The sender of a webhook and the secret that signs its requests: an existing one, or a new one.
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
import { uiStrings } from '../ui/strings.ts'
import { generateSecret } from './sign.ts'
import { strings } from './strings.ts'

const NewSecret = ({ source, onMade }: { source: TriggerSource; onMade: (key: string, value: string) => void }) => {
  const [key, setKey] = useState(`${source.key.replaceAll('-', '_').toUpperCase()}_WEBHOOK_SECRET`)
  const [value, setValue] = useState('')
  const save = useAct({
    work: () =>
      call('secrets.create', { body: { key, value, description: strings.sender.secretDescription(source.name) } }),
    touches: ['secrets'],
    after: () => onMade(key, value),
    quiet: true,
  })
  return (
    <div className="flex flex-col gap-3 rounded-md border p-3 sm:col-span-2">
      <TextField label={strings.sender.newSecretName} value={key} onChange={(event) => setKey(event.target.value)} />
      <TextField
        label={uiStrings.value}
        autoComplete="off"
        className="font-mono text-[12px]"
        help={strings.sender.newSecretHelp(source.name)}
        value={value}
        onChange={(event) => setValue(event.target.value)}
      />
      {save.error ? <ProblemNote error={save.error} /> : null}
      <div className="flex gap-2">
        <Button busy={save.isPending} disabled={key === '' || value === ''} onClick={() => save.mutate()}>
          {strings.sender.saveSecret}
        </Button>
        {source.strategy === 'ed25519' ? null : (
          <Button look="quiet" onClick={() => setValue(generateSecret(source))}>
            {strings.sender.generate}
          </Button>
        )}
      </div>
    </div>
  )
}

type SecretPartProps = { source: TriggerSource; secretRef: string; onChoose: (key: string) => void }

const SecretPart = ({ source, secretRef, onChoose }: SecretPartProps) => {
  const mayCreate = useCan()('manage_vault')
  const [term, setTerm] = useState('')
  const [isCreating, setIsCreating] = useState(false)
  const [made, setMade] = useState<{ key: string; value: string }>()
  const secrets = useMatches('secrets.list', term, { sort: [{ field: 'key', dir: 'asc' }] })
  return (
    <>
      <Picker
        label={strings.sender.secret}
        required
        help={strings.sender.secretHelp(source.name, source.strategy)}
        chosen={secretRef === '' ? null : { value: secretRef, label: secretRef }}
        groups={[{ choices: secrets.items.map(({ key }) => ({ value: key, label: key })) }]}
        isLoading={secrets.isLoading}
        onTerm={setTerm}
        onChoose={({ value }) => onChoose(value)}
      />
      {mayCreate && !isCreating ? (
        <Button className="self-start sm:col-span-2" onClick={() => setIsCreating(true)}>
          {strings.sender.createSecret}
        </Button>
      ) : null}
      {isCreating ? (
        <NewSecret
          key={source.id}
          source={source}
          onMade={(key, value) => {
            setIsCreating(false)
            setMade({ key, value })
            onChoose(key)
          }}
        />
      ) : null}
      {made && made.key === secretRef ? (
        <div className="flex flex-col gap-1 sm:col-span-2">
          <p className="text-soft">{strings.sender.secretSaved(made.key, source.name)}</p>
          <CodeBlock text={made.value} label={strings.sender.newSecret} />
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
        label={strings.sender.source}
        value={sourceId}
        help={source?.description}
        onChange={(event) => set({ sourceId: event.target.value, secretRef: '' })}
      >
        <option value="">{strings.sender.anyone}</option>
        {(sources.data ?? []).map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      {source && source.strategy !== 'none' ? (
        <SecretPart key={source.id} source={source} secretRef={secretRef} onChoose={(key) => set({ secretRef: key })} />
      ) : null}
      <p className="text-soft sm:col-span-2">{strings.sender.urlHint}</p>
    </div>
  )
}
