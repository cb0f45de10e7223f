// The built-in tool categories and the lifecycle events that hooks can subscribe to. Pure.
import type { HookEvent, HookEventName, InternalToolCategory } from '@millrace/contract/agents'

export const internalToolCategories: readonly InternalToolCategory[] = [
  {
    id: 'plan',
    name: 'Plan',
    description: 'Maintains a list of steps that people can follow',
    tools: ['plan_create', 'plan_update', 'plan_load'],
    scope: 'all',
    default_enabled: true,
  },
  {
    id: 'memory',
    name: 'Memory',
    description: 'Notes that last as long as the chat',
    tools: ['memory_set', 'memory_get', 'memory_get_all'],
    scope: 'all',
    default_enabled: true,
  },
  {
    id: 'widget',
    name: 'Widgets',
    description: 'Shows forms and pictures to people and waits for their input',
    tools: ['widget_ui', 'widget_html'],
    scope: 'top_level',
    default_enabled: true,
  },
  {
    id: 'finish',
    name: 'Finish',
    description: 'Ends the run with a result',
    tools: ['finish'],
    scope: 'sub_agent',
    default_enabled: true,
  },
  {
    id: 'skills',
    name: 'Skills',
    description: 'Lists the agent’s skills and reads one of them',
    tools: ['skill_list', 'skill_load'],
    scope: 'all',
    default_enabled: true,
  },
  {
    id: 'host_context',
    name: 'Host context',
    description: 'Returns where and for whom the agent works',
    tools: ['host_context_get'],
    scope: 'all',
    default_enabled: false,
  },
  {
    id: 'meta',
    name: 'Tool search',
    description: 'Finds tools by description, for agents with more tools than a model can be shown',
    tools: ['tool_search', 'tool_call'],
    scope: 'all',
    default_enabled: false,
  },
  {
    id: 'artifact',
    name: 'Artifacts',
    description: 'Publishes and reads documents',
    tools: ['artifact_publish', 'artifact_read'],
    scope: 'all',
    default_enabled: false,
  },
  {
    id: 'spawn',
    name: 'Spawn',
    description: 'Delegates a task to another agent',
    tools: ['agent_spawn'],
    scope: 'top_level',
    default_enabled: false,
  },
  {
    id: 'remote',
    name: 'Remotes',
    description: 'Runs commands on machines of the workspace',
    tools: ['remote_list', 'remote_exec'],
    scope: 'all',
    default_enabled: false,
  },
]

export const categoryOf = (tool: string): string | undefined =>
  internalToolCategories.find(({ tools }) => tools.includes(tool))?.id

export const isTopLevelTool = (tool: string): boolean =>
  internalToolCategories.some(({ scope, tools }) => scope === 'top_level' && tools.includes(tool))

export type RunKind = { isSubAgent: boolean; hasOutputSchema: boolean }

/** The built-in categories that are enabled by the agent's config. */
export const enabledCategories = (
  chosen: Readonly<Record<string, boolean>>,
  { isSubAgent, hasOutputSchema }: RunKind,
): string[] =>
  internalToolCategories
    .filter(({ id, scope, default_enabled }) => {
      if (id === 'finish') return isSubAgent || hasOutputSchema
      if (scope === 'top_level' && isSubAgent) return false
      return chosen[id] ?? default_enabled
    })
    .map(({ id }) => id)

const descriptions: Record<HookEventName, [description: string, canGate: boolean]> = {
  'agent.start': ['A run begins', true],
  'agent.turn_start': ['Before the model is called', true],
  'agent.tool_call': ['Before a tool is called', true],
  'agent.tool_result': ['After a tool has returned', true],
  'agent.turn_complete': ['After the model has answered', false],
  'agent.error': ['The run failed', false],
  'agent.complete': ['The run completed', false],
  'agent.idle': ['The agent is idle and waits for the next message', false],
  'agent.pre_compact': ['Before a long conversation is compacted', false],
  'agent.post_compact': ['After a long conversation was compacted', false],
}

export const hookEventCatalog: readonly HookEvent[] = (
  Object.entries(descriptions) as [HookEventName, [string, boolean]][]
).map(([event, [description, can_gate]]) => ({ event, description, can_gate }))

export const findHookEvent = (event: string): HookEvent | undefined =>
  hookEventCatalog.find((known) => known.event === event)
