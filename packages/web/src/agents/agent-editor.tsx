// The configuration of an agent. Saving creates a new version; existing chats keep theirs.
import type { Agent, AgentConfig } from '@millrace/contract/agents'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CodeEditor } from '../ui/code.tsx'
import { AreaField, CheckField } from '../ui/field.tsx'
import { focusFirstFault } from '../ui/focus-fault.ts'
import { InvalidJsonProvider, JsonField, useInvalidJson } from '../ui/json-field.tsx'
import { Panel, ProblemNote } from '../ui/page.tsx'
import { UnsavedGuard } from '../ui/unsaved.tsx'
import { AgentRequirements } from './agent-requirements.tsx'
import { BehaviorEditor } from './behavior-editor.tsx'
import { ModelPicker, refOf } from './pickers.tsx'
import { SkillsEditor } from './skills-editor.tsx'
import { strings } from './strings.ts'
import { ToolsEditor } from './tools-editor.tsx'
import { useAgentDraft } from './use-agent-draft.ts'

const words = strings.editor

type Edit = { config: AgentConfig; set: (change: Partial<AgentConfig>) => void }

const Model = ({ config, set, mayChange }: Edit & { mayChange: boolean }) => {
  const core = config.core_app
  // A version may name its model app by ID only; the reference is looked up.
  const appId = core?.ref ? '' : (core?.id ?? '')
  const appQuery = useQuery({ ...read('apps.get', { path: { id: appId } }), enabled: appId !== '', retry: false })
  const setup = (core?.setup ?? {}) as Record<string, unknown>
  const setInput = (input: unknown) => set({ core_app: { ...core, setup, input } })
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
          <JsonField
            label={words.modelSettings}
            kind="object"
            value={core?.input ?? undefined}
            placeholder='{"temperature": 0.2}'
            onChange={mayChange ? setInput : undefined}
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

const WholeJson = ({ config, replace }: { config: AgentConfig; replace: ((config: AgentConfig) => void) | null }) => (
  <details className="rounded-lg border bg-surface p-3">
    <summary className="cursor-pointer font-medium">{words.json}</summary>
    <div className="flex flex-col gap-2">
      <p className="text-soft">{replace ? words.jsonText : words.jsonTextReadOnly}</p>
      <JsonField
        label={words.jsonLabel}
        kind="object"
        value={config}
        minHeight={200}
        onChange={replace ? (value) => replace((value ?? {}) as AgentConfig) : undefined}
      />
    </div>
  </details>
)

const SaveBar = ({ busy, isChanged }: { busy: boolean; isChanged: boolean }) => (
  <div className="sticky -top-2 z-10 -mx-1 flex items-center gap-2 bg-canvas px-1 pt-3 pb-1">
    <Button type="submit" look="primary" busy={busy} disabled={!isChanged}>
      {words.save}
    </Button>
    <span className="text-faint">{isChanged ? words.unsaved : words.noChanges}</span>
  </div>
)

const Instructions = ({ config, set, mayChange }: Edit & { mayChange: boolean }) => (
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
        onBlur={() => {
          const prompts = config.example_prompts ?? []
          if (prompts.some(isBlank)) set({ example_prompts: prompts.filter((line) => !isBlank(line)) })
        }}
      />
    </div>
  </Panel>
)

const isBlank = (line: string): boolean => line.trim() === ''

type AgentEditorProps = {
  agent: Agent
  mayChange: boolean
  /** The configuration on the screen while it differs from the saved version. */
  onUnsaved: (config: AgentConfig | undefined) => void
}

export const AgentEditor = ({ agent, mayChange, onUnsaved }: AgentEditorProps) => {
  const draft = useAgentDraft(agent)
  const { config, set, replace, revision } = draft
  const { hasInvalidJson, report } = useInvalidJson()
  const isChanged = draft.isChanged || hasInvalidJson
  useEffect(() => onUnsaved(draft.isChanged ? config : undefined), [onUnsaved, draft.isChanged, config])
  useEffect(() => () => onUnsaved(undefined), [onUnsaved])
  const save = useAct({
    work: async () => draft.adopt(await call('agents.update', { path: { id: agent.id }, body: { version: config } })),
    touches: ['agents'],
    done: words.saved,
    quiet: true,
  })
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (hasInvalidJson) focusFirstFault(event.currentTarget)
        else save.mutate()
      }}
    >
      <UnsavedGuard isDirty={isChanged} />
      {mayChange ? (
        <SaveBar busy={save.isPending} isChanged={isChanged} />
      ) : (
        <p className="pt-3 text-soft">{words.readOnly}</p>
      )}
      {draft.isOutdated ? (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          {words.outdated}
        </p>
      ) : null}
      {save.error ? <ProblemNote error={save.error} /> : null}
      <AgentRequirements config={config} />
      <InvalidJsonProvider value={report}>
        <fieldset key={revision} disabled={!mayChange} className="flex min-w-0 flex-col gap-4">
          <Panel title={words.model}>
            <Model config={config} set={set} mayChange={mayChange} />
          </Panel>
          <Instructions config={config} set={set} mayChange={mayChange} />
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
        </fieldset>
        <WholeJson config={config} replace={mayChange ? replace : null} />
      </InvalidJsonProvider>
    </form>
  )
}
