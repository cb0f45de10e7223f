// The configuration of an agent: model, instructions, tools, skills, and what else makes it. Saving makes a new version; chats that go on keep theirs.
import type { Agent, AgentConfig } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { AreaField, CheckField } from '../ui/field.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { BehaviourEditor } from './behaviour-editor.tsx'
import { configOf, isSame } from './config.ts'
import { ModelPicker, refOf } from './pickers.tsx'
import { SkillsEditor } from './skills-editor.tsx'
import { ToolsEditor } from './tools-editor.tsx'

type Edit = { config: AgentConfig; set: (change: Partial<AgentConfig>) => void }

const Model = ({ config, set, mayChange }: Edit & { mayChange: boolean }) => {
  const core = config.core_app
  // An app that is known by its id alone is named here.
  const appId = core?.ref ? '' : (core?.id ?? '')
  const named = useQuery({ ...read('apps.get', { path: { id: appId } }), enabled: appId !== '', retry: false })
  const setup = (core?.setup ?? {}) as Record<string, unknown>
  const written = JSON.stringify(core?.input ?? {}, null, 2)
  const [settings, setSettings] = useState(written)
  const change = (text: string) => {
    setSettings(text)
    try {
      set({ core_app: { ...core, setup, input: JSON.parse(text) as unknown } })
    } catch {
      // Counts again once it is JSON.
    }
  }
  return (
    <div className="flex flex-col gap-3">
      <ModelPicker
        label="Model app"
        help="The app that talks to the model; its secrets name the server and the key"
        value={core?.ref || (named.data ? refOf(named.data) : '')}
        onChoose={(ref) => set({ core_app: { ref, ...(core?.input ? { input: core.input } : {}) } })}
      />
      <details>
        <summary className="cursor-pointer text-soft">Settings of the model</summary>
        <div className="mt-2">
          <CodeEditor
            label="Settings of the model"
            value={settings}
            placeholder='{"temperature": 0.2}'
            {...(mayChange ? { onChange: change } : {})}
          />
        </div>
      </details>
    </div>
  )
}

const BuiltIn = ({ config, set }: Edit) => {
  const categories = useQuery({ ...read('agents.internal_tools'), staleTime: 300_000 })
  const chosen = config.internal_tools ?? {}
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {(categories.data ?? []).map(({ id, name, description, default_enabled }) => (
        <CheckField
          key={id}
          label={name}
          help={description}
          checked={chosen[id] ?? default_enabled}
          onChange={(event) => set({ internal_tools: { ...chosen, [id]: event.target.checked } })}
        />
      ))}
    </div>
  )
}

/** Everything at once. */
const AsJson = ({ config, replace }: { config: AgentConfig; replace: ((config: AgentConfig) => void) | null }) => {
  const [text, setText] = useState(() => JSON.stringify(config, null, 2))
  const [fault, setFault] = useState('')
  const take = () => {
    try {
      replace?.(JSON.parse(text) as AgentConfig)
      setFault('')
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">Everything at once, to copy{replace ? ' or to replace' : ''}.</p>
      <CodeEditor
        label="The whole configuration"
        value={text}
        minHeight={200}
        {...(replace ? { onChange: setText } : {})}
      />
      {fault === '' ? null : <p className="text-bad">{fault}</p>}
      {replace ? (
        <Button className="self-start" onClick={take}>
          Use this
        </Button>
      ) : null}
    </div>
  )
}

const SaveBar = ({ busy, isChanged }: { busy: boolean; isChanged: boolean }) => (
  <div className="sticky -top-2 z-10 -mx-1 flex items-center gap-2 bg-canvas px-1 pt-3 pb-1">
    <Button type="submit" look="primary" busy={busy} disabled={!isChanged}>
      Save as a new version
    </Button>
    <span className="text-faint">{isChanged ? 'Not saved yet' : 'As saved'}</span>
  </div>
)

export const AgentEditor = ({ agent, mayChange }: { agent: Agent; mayChange: boolean }) => {
  const stored = configOf(agent.version)
  const [config, setConfig] = useState<AgentConfig>(stored)
  const [round, setRound] = useState(0)
  const set = (change: Partial<AgentConfig>) => setConfig((held) => ({ ...held, ...change }))
  const save = useAct({
    work: () => call('agents.update', { path: { id: agent.id }, body: { version: config } }),
    touches: ['agents'],
    done: 'Saved as a new version',
    quiet: true,
  })
  const replace = (next: AgentConfig) => {
    setConfig(next)
    setRound(round + 1)
  }
  const isChanged = !isSame(config, stored)
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      {mayChange ? (
        <SaveBar busy={save.isPending} isChanged={isChanged} />
      ) : (
        <p className="pt-3 text-soft">This agent belongs to another workspace: it can be read and tried here.</p>
      )}
      {save.error ? <ProblemNote error={save.error} /> : null}
      <fieldset key={round} disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
        <Panel title="Model">
          <Model config={config} set={set} mayChange={mayChange} />
        </Panel>
        <Panel title="Instructions">
          <div className="flex flex-col gap-3">
            <div>
              <p className="mb-1 font-medium">System prompt</p>
              <CodeEditor
                label="System prompt"
                language="markdown"
                minHeight={160}
                value={config.system_prompt ?? ''}
                {...(mayChange ? { onChange: (system_prompt: string) => set({ system_prompt }) } : {})}
              />
              <p className="mt-1 text-[12px] text-faint">
                {'Names in double braces, such as {{context.customer}}, are filled in when a chat begins'}
              </p>
            </div>
            <AreaField
              label="Examples to begin with"
              rows={3}
              help="One per line"
              value={(config.example_prompts ?? []).join('\n')}
              onChange={(event) => set({ example_prompts: event.target.value.split('\n') })}
              onBlur={() =>
                set({ example_prompts: (config.example_prompts ?? []).filter((line) => line.trim() !== '') })
              }
            />
          </div>
        </Panel>
        <Panel title="Tools">
          <ToolsEditor tools={config.tools ?? []} onChange={(tools) => set({ tools })} />
        </Panel>
        <Panel title="Skills">
          <SkillsEditor skills={config.skills ?? []} onChange={(skills) => set({ skills })} />
        </Panel>
        <Panel title="Built in">
          <BuiltIn config={config} set={set} />
        </Panel>
        <BehaviourEditor config={config} set={set} />
        <details className="rounded-lg border bg-surface p-3">
          <summary className="cursor-pointer font-medium">As JSON</summary>
          <AsJson key={JSON.stringify(config)} config={config} replace={mayChange ? replace : null} />
        </details>
      </fieldset>
    </form>
  )
}
