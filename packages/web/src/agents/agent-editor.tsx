// The configuration of an agent. Saving creates a new version; existing chats keep theirs.
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
import { BehaviorEditor } from './behavior-editor.tsx'
import { configOf, isSame } from './config.ts'
import { ModelPicker, refOf } from './pickers.tsx'
import { SkillsEditor } from './skills-editor.tsx'
import { strings } from './strings.ts'
import { ToolsEditor } from './tools-editor.tsx'

const words = strings.editor

type Edit = { config: AgentConfig; set: (change: Partial<AgentConfig>) => void }

const Model = ({ config, set, mayChange }: Edit & { mayChange: boolean }) => {
  const core = config.core_app
  // A version may name its model app by ID only; the reference is looked up.
  const appId = core?.ref ? '' : (core?.id ?? '')
  const appQuery = useQuery({ ...read('apps.get', { path: { id: appId } }), enabled: appId !== '', retry: false })
  const setup = (core?.setup ?? {}) as Record<string, unknown>
  const written = JSON.stringify(core?.input ?? {}, null, 2)
  const [settings, setSettings] = useState(written)
  const change = (text: string) => {
    setSettings(text)
    try {
      set({ core_app: { ...core, setup, input: JSON.parse(text) as unknown } })
    } catch {
      // Invalid JSON is not applied.
    }
  }
  return (
    <div className="flex flex-col gap-3">
      <ModelPicker
        label={words.modelApp}
        help={words.modelHelp}
        value={core?.ref || (appQuery.data ? refOf(appQuery.data) : '')}
        onChoose={(ref) => set({ core_app: { ref, ...(core?.input ? { input: core.input } : {}) } })}
      />
      <details>
        <summary className="cursor-pointer text-soft">{words.modelSettings}</summary>
        <div className="mt-2">
          <CodeEditor
            label={words.modelSettings}
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

const JsonEditor = ({ config, replace }: { config: AgentConfig; replace: ((config: AgentConfig) => void) | null }) => {
  const [text, setText] = useState(() => JSON.stringify(config, null, 2))
  const [fault, setFault] = useState('')
  const apply = () => {
    try {
      replace?.(JSON.parse(text) as AgentConfig)
      setFault('')
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <div className="flex flex-col gap-2">
      <p className="text-soft">{replace ? words.jsonText : words.jsonTextReadOnly}</p>
      <CodeEditor label={words.jsonLabel} value={text} minHeight={200} {...(replace ? { onChange: setText } : {})} />
      {fault === '' ? null : <p className="text-bad">{fault}</p>}
      {replace ? (
        <Button className="self-start" onClick={apply}>
          {words.jsonApply}
        </Button>
      ) : null}
    </div>
  )
}

const SaveBar = ({ busy, isChanged }: { busy: boolean; isChanged: boolean }) => (
  <div className="sticky -top-2 z-10 -mx-1 flex items-center gap-2 bg-canvas px-1 pt-3 pb-1">
    <Button type="submit" look="primary" busy={busy} disabled={!isChanged}>
      {words.save}
    </Button>
    <span className="text-faint">{isChanged ? words.unsaved : words.noChanges}</span>
  </div>
)

export const AgentEditor = ({ agent, mayChange }: { agent: Agent; mayChange: boolean }) => {
  const stored = configOf(agent.version)
  const [config, setConfig] = useState<AgentConfig>(stored)
  const [revision, setRevision] = useState(0)
  const set = (change: Partial<AgentConfig>) => setConfig((config) => ({ ...config, ...change }))
  const save = useAct({
    work: () => call('agents.update', { path: { id: agent.id }, body: { version: config } }),
    touches: ['agents'],
    done: words.saved,
    quiet: true,
  })
  const replace = (next: AgentConfig) => {
    setConfig(next)
    setRevision(revision + 1)
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
        <p className="pt-3 text-soft">{words.readOnly}</p>
      )}
      {save.error ? <ProblemNote error={save.error} /> : null}
      <fieldset key={revision} disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
        <Panel title={words.model}>
          <Model config={config} set={set} mayChange={mayChange} />
        </Panel>
        <Panel title={words.instructions}>
          <div className="flex flex-col gap-3">
            <div>
              <p className="mb-1 font-medium">{words.systemPrompt}</p>
              <CodeEditor
                label={words.systemPrompt}
                language="markdown"
                minHeight={160}
                value={config.system_prompt ?? ''}
                {...(mayChange ? { onChange: (system_prompt: string) => set({ system_prompt }) } : {})}
              />
              <p className="mt-1 text-[12px] text-faint">{words.promptHelp}</p>
            </div>
            <AreaField
              label={words.examples}
              rows={3}
              help={words.examplesHelp}
              value={(config.example_prompts ?? []).join('\n')}
              onChange={(event) => set({ example_prompts: event.target.value.split('\n') })}
              onBlur={() =>
                set({ example_prompts: (config.example_prompts ?? []).filter((line) => line.trim() !== '') })
              }
            />
          </div>
        </Panel>
        <Panel title={words.tools}>
          <ToolsEditor tools={config.tools ?? []} onChange={(tools) => set({ tools })} />
        </Panel>
        <Panel title={words.skills}>
          <SkillsEditor skills={config.skills ?? []} onChange={(skills) => set({ skills })} />
        </Panel>
        <Panel title={words.builtIn}>
          <BuiltIn config={config} set={set} />
        </Panel>
        <BehaviorEditor config={config} set={set} />
        <details className="rounded-lg border bg-surface p-3">
          <summary className="cursor-pointer font-medium">{words.json}</summary>
          <JsonEditor key={JSON.stringify(config)} config={config} replace={mayChange ? replace : null} />
        </details>
      </fieldset>
    </form>
  )
}
