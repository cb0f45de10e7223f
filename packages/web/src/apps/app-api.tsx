// The call that the form makes, as code, with an API key that can be created in place.
import type { App } from '@millrace/contract/apps'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useCan } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code.tsx'
import { JsonView } from '../ui/json-view.tsx'
import { Panel } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { type Language, languages, snippet } from './snippets.ts'
import { strings } from './strings.ts'

const words = strings.api

export type AppCall = {
  app: App
  chosen: string
  input: unknown
  /** Created here; known while the page is open. */
  apiKey: string | undefined
  onKey: (key: string) => void
}

export const CallPanel = ({ app, chosen, input, apiKey, onKey }: AppCall) => {
  const canCreateKeys = useCan()('create_keys')
  const [language, setLanguage] = useState<Language>('curl')
  const create = useAct({
    work: () =>
      call('apikeys.create', { body: { name: words.keyName(app.name), scopes: ['apps:read', 'apps:execute'] } }),
    touches: ['apikeys'],
    done: words.keyCreated,
    after: ({ key }) => onKey(key),
  })
  const text = snippet(language, {
    base: location.origin,
    app: `${app.namespace}/${app.name}`,
    function: chosen,
    isDefault: chosen === app.version?.default_function,
    input,
    key: apiKey ?? words.keyPlaceholder,
  })
  return (
    <Panel
      title={words.title}
      actions={
        canCreateKeys && apiKey === undefined ? (
          <Button busy={create.isPending} onClick={() => create.mutate()}>
            <KeyRound aria-hidden /> {words.createKey}
          </Button>
        ) : null
      }
    >
      <Tabs label={words.language} tabs={languages} value={language} onChange={setLanguage} />
      <CodeBlock text={text} label={words.code(language)} />
      <p className="mt-2 text-[12px] text-faint">{words.note}</p>
    </Panel>
  )
}

export const AppApi = (appCall: AppCall) => {
  const { version } = appCall.app
  const fn = version?.functions[appCall.chosen]
  return (
    <div className="flex flex-col gap-4">
      <CallPanel {...appCall} />
      <div className="grid gap-4 lg:grid-cols-2">
        <Panel title={words.inputSchema}>
          <JsonView value={fn?.input_schema ?? version?.input_schema ?? null} />
        </Panel>
        <Panel title={words.outputSchema}>
          <JsonView value={fn?.output_schema ?? version?.output_schema ?? null} />
        </Panel>
      </div>
    </div>
  )
}
