// The built-in tools as the model sees them: names, descriptions and parameters. Pure.

export type InternalTool = { name: string; description: string; parameters: Record<string, unknown> }

const object = (properties: Record<string, unknown>, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: [...required],
})
const text = (description: string) => ({ type: 'string', description })

const planSteps = ['pending', 'in_progress', 'completed', 'cancelled']

const tools: readonly InternalTool[] = [
  {
    name: 'plan_create',
    description: 'Write a plan with the steps of a longer task. Replaces an earlier plan.',
    parameters: object(
      {
        steps: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: object({ title: text('Content of the step'), description: text('How') }, ['title']),
        },
      },
      ['steps'],
    ),
  },
  {
    name: 'plan_update',
    description: 'Update the state of a step of the plan, or add a note to it.',
    parameters: object(
      {
        index: { type: 'integer', minimum: 0, description: 'Number of the step, from 0' },
        status: { type: 'string', enum: planSteps },
        notes: text('Notes on the result'),
      },
      ['index'],
    ),
  },
  { name: 'plan_load', description: 'Read the plan.', parameters: object({}) },
  {
    name: 'memory_set',
    description: 'Store a note for the rest of this conversation.',
    parameters: object({ key: text('Name of the note'), value: { description: 'Anything' } }, ['key', 'value']),
  },
  {
    name: 'memory_get',
    description: 'Read a note.',
    parameters: object({ key: text('Name of the note') }, ['key']),
  },
  { name: 'memory_get_all', description: 'Read every note.', parameters: object({}) },
  {
    name: 'widget_ui',
    description:
      'Show a form or a view to the person. Components are a flat list with string ids and the root id "root". A surface with inputs waits for the answer.',
    parameters: object(
      {
        version: { type: ['string', 'number'] },
        surfaceId: text('Id of the surface'),
        catalogId: text('Catalog of the components'),
        components: { type: 'array', minItems: 1, maxItems: 500, items: { type: 'object' } },
        dataModel: { type: 'object' },
      },
      ['components'],
    ),
  },
  {
    name: 'widget_html',
    description: 'Show a piece of HTML to the person.',
    parameters: object({ html: { ...text('The HTML'), maxLength: 262_144 }, title: text('Title') }, ['html']),
  },
  {
    name: 'finish',
    description: 'End the work with its result. Call this tool once, as your last action.',
    parameters: object(
      {
        status: { type: 'string', enum: ['succeeded', 'failed', 'cancelled'] },
        result: {},
        error: text('The error'),
      },
      ['status'],
    ),
  },
  { name: 'skill_list', description: 'List the skills you can read.', parameters: object({}) },
  {
    name: 'skill_load',
    description: 'Read a skill before you work on its subject.',
    parameters: object({ name: text('Name of the skill') }, ['name']),
  },
  {
    name: 'host_context_get',
    description: 'Where you work: workspace, person, agent, time, and the variables of this conversation.',
    parameters: object({}),
  },
  {
    name: 'tool_search',
    description: 'Find tools by description. Call the tools that you find with tool_call.',
    parameters: object({ query: text('Description of the tool') }, ['query']),
  },
  {
    name: 'tool_call',
    description: 'Call a tool that tool_search found.',
    parameters: object({ name: text('Name of the tool'), arguments: { type: 'object' } }, ['name']),
  },
  {
    name: 'artifact_publish',
    description: 'Publish a document that the person can open and share, or a new version of one.',
    parameters: object(
      {
        title: text('Title'),
        content: { ...text('The whole document'), maxLength: 2_097_152 },
        type: { type: 'string', enum: ['html', 'markdown'] },
        artifact_id: text('Id of the artifact to update; omit it to create a new artifact'),
      },
      ['title', 'content'],
    ),
  },
  {
    name: 'artifact_read',
    description: 'Read the source of a published document.',
    parameters: object({ artifact_id: text('Id of the artifact') }, ['artifact_id']),
  },
  {
    name: 'agent_spawn',
    description: 'Delegate a task to another agent and wait for its result.',
    parameters: object({ agent: text('Ref of the agent: namespace/name'), message: text('The complete task') }, [
      'agent',
      'message',
    ]),
  },
]

const remoteTools: readonly InternalTool[] = [
  {
    name: 'remote_list',
    description: 'List the machines you can run commands on.',
    parameters: object({}),
  },
  {
    name: 'remote_exec',
    description:
      'Run a command on a machine, without a shell, and wait for it. Output over 64 KiB is truncated at the start.',
    parameters: object(
      {
        remote_id: text('Id of the machine, from remote_list'),
        command: text('The program'),
        args: { type: 'array', items: { type: 'string' }, description: 'The arguments, one per item' },
        cwd: text('Working directory'),
        env: { type: 'array', items: { type: 'string' }, description: 'KEY=VALUE' },
        timeout_ms: { type: 'integer', minimum: 0, description: 'Timeout after which the command is killed; 0: none' },
      },
      ['remote_id', 'command'],
    ),
  },
]

const byName = new Map([...tools, ...remoteTools].map((tool) => [tool.name, tool]))

export const internalTool = (name: string): InternalTool | undefined => byName.get(name)

/** `finish` with the agent's output schema as its result. */
export const finishTool = (outputSchema: unknown): InternalTool => {
  const plain = byName.get('finish')
  if (!plain) throw new Error('The finish tool is missing')
  if (outputSchema === undefined) return plain
  const { properties } = plain.parameters as { properties: Record<string, unknown> }
  // A result is required only on success, but must always match the schema.
  return { ...plain, parameters: object({ ...properties, result: outputSchema }, ['status']) }
}
