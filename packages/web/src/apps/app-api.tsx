// The call that the form would make, as code, with a key made in place.
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

const standIn = 'YOUR_KEY'

export type Called = {
  app: App
  chosen: string
  input: unknown
  /** Made in place, and known as long as the page is open. */
  apiKey: string | undefined
  onKey: (key: string) => void
}

/** The call that the form would make, in the words of each language. */
export const CallPanel = ({ app, chosen, input, apiKey, onKey }: Called) => {
  const mayMake = useCan()('create_keys')
  const [language, setLanguage] = useState<Language>('curl')
  const create = useAct({
    work: () =>
      call('apikeys.create', { body: { name: `${app.name} from the console`, scopes: ['apps:read', 'apps:execute'] } }),
    touches: ['apikeys'],
    done: 'The key is in the code below; it is shown only now',
    after: (made) => onKey(made.key),
  })
  const text = snippet(language, {
    base: location.origin,
    app: `${app.namespace}/${app.name}`,
    function: chosen,
    isDefault: chosen === app.version?.default_function,
    input,
    key: apiKey ?? standIn,
  })
  return (
    <Panel
      title="The same from your code"
      actions={
        mayMake && apiKey === undefined ? (
          <Button busy={create.isPending} onClick={() => create.mutate()}>
            <KeyRound aria-hidden /> Make a key
          </Button>
        ) : null
      }
    >
      <Tabs label="Language" tabs={languages} value={language} onChange={setLanguage} />
      <CodeBlock text={text} label={`The call in ${language}`} />
      <p className="mt-2 text-[12px] text-faint">
        The input is what the form holds. A key made here may run and read apps, nothing else; it can be revoked under
        Settings.
      </p>
    </Panel>
  )
}

export const AppApi = (called: Called) => {
  const { version } = called.app
  const described = version?.functions[called.chosen]
  return (
    <div className="flex flex-col gap-4">
      <CallPanel {...called} />
      <div className="grid gap-4 lg:grid-cols-2">
        <Panel title="Schema of the input">
          <JsonView value={described?.input_schema ?? version?.input_schema ?? null} />
        </Panel>
        <Panel title="Schema of the output">
          <JsonView value={described?.output_schema ?? version?.output_schema ?? null} />
        </Panel>
      </div>
    </div>
  )
}
