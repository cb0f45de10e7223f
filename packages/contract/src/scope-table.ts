// All scopes, one row each, by display group.
export type Flags = {
  /** Only for a person's own sign-in, never for a key, an app token or a run. */
  readonly signInOnly?: true
  /** Shown to and granted by owners and admins only. */
  readonly engine?: true
  /** Only in the platform workspace. */
  readonly store?: true
  /** Without it, callers can read public rows. */
  readonly canBePublicRead?: true
}

type Row = Flags & { readonly value: string; readonly label: string; readonly description: string }

type Group = {
  readonly id: string
  readonly label: string
  readonly description: string
  readonly scopes: readonly Row[]
}

const row = <const V extends string, const F extends Flags = Record<never, never>>(
  value: V,
  label: string,
  description: string,
  flags?: F,
) => ({ value, label, description, ...flags })

const openRead = { canBePublicRead: true } as const
const signIn = { signInOnly: true } as const

/** Every scope by group, in display order. */
export const scopeTable = [
  {
    id: 'agents',
    label: 'Agents',
    description: 'Agents, their versions and the triggers that start them',
    scopes: [
      row('agents:read', 'Read agents', 'See agents, triggers and their history', openRead),
      row('agents:write', 'Change agents', 'Create, edit and delete agents and triggers'),
      row('agents:execute', 'Run agents', 'Start agents and fire triggers'),
    ],
  },
  {
    id: 'apps',
    label: 'Apps and tasks',
    description: 'Apps and their tasks (runs)',
    scopes: [
      row('apps:read', 'Read apps', 'See apps, tasks and their results', openRead),
      row('apps:write', 'Change apps', 'Deploy, edit and delete apps'),
      row('apps:execute', 'Run apps', 'Start and cancel tasks'),
    ],
  },
  {
    id: 'conversations',
    label: 'Conversations',
    description: 'Chats with agents and their messages',
    scopes: [
      row('conversations:read', 'Read conversations', 'See chats and messages', openRead),
      row('conversations:write', 'Write conversations', 'Start chats, send and delete messages'),
    ],
  },
  {
    id: 'files',
    label: 'Files',
    description: 'Uploaded files and outputs of tasks',
    scopes: [
      row('files:read', 'Read files', 'List and download files', openRead),
      row('files:write', 'Write files', 'Upload and delete files'),
    ],
  },
  {
    id: 'datastores',
    label: 'Datastores',
    description: 'Collections of structured data',
    scopes: [
      row('datastores:read', 'Read datastores', 'See the contents of datastores'),
      row('datastores:write', 'Write datastores', 'Change the contents of datastores'),
    ],
  },
  {
    id: 'flows',
    label: 'Flows',
    description: 'Graphs of apps, and their runs',
    scopes: [
      row('flows:read', 'Read flows', 'See flows and flow runs', openRead),
      row('flows:write', 'Change flows', 'Create, edit and delete flows'),
      row('flows:execute', 'Run flows', 'Start, resume and cancel flow runs'),
    ],
  },
  {
    id: 'projects',
    label: 'Projects',
    description: 'Folders that group related resources',
    scopes: [
      row('projects:read', 'Read projects', 'See projects'),
      row('projects:write', 'Change projects', 'Create, edit and delete projects'),
    ],
  },
  {
    id: 'teams',
    label: 'Workspaces',
    description: 'The workspace, its members and invites',
    scopes: [
      row('teams:read', 'Read workspaces', 'See the workspace, its members and its audit log'),
      row('teams:write', 'Change workspaces', 'Edit the workspace, its members and invites'),
    ],
  },
  {
    id: 'billing',
    label: 'Billing',
    description: 'Balance, transactions and usage',
    scopes: [
      row('billing:read', 'Read billing', 'See balance, transactions and usage'),
      row('billing:write', 'Change billing', 'Change plans and payment methods', signIn),
    ],
  },
  {
    id: 'secrets',
    label: 'Secrets',
    description: 'Encrypted values for apps and agents',
    scopes: [
      row('secrets:read', 'Read secrets', 'List secrets, and read values if the role permits it'),
      row('secrets:write', 'Change secrets', 'Create, replace and delete secrets'),
      row('secrets:reveal', 'Use secret values', 'Pass secret values to tools'),
    ],
  },
  {
    id: 'integrations',
    label: 'Integrations',
    description: 'Connections to other services; the same permissions as credentials',
    scopes: [
      row('integrations:read', 'Read integrations', 'See connections and vaults'),
      row('integrations:write', 'Change integrations', 'Connect and disconnect services, organize vaults'),
    ],
  },
  {
    id: 'credentials',
    label: 'Credentials',
    description: 'Credentials for other services, MCP servers and vaults',
    scopes: [
      row('credentials:read', 'Read credentials', 'See which services are connected', openRead),
      row('credentials:write', 'Change credentials', 'Connect and disconnect services'),
    ],
  },
  {
    id: 'engines',
    label: 'Engines',
    description: 'The machines that run apps',
    scopes: [
      row('engines:read', 'Read engines', 'See engines and workers', { engine: true, canBePublicRead: true }),
      row('engines:write', 'Run engines', 'Register, drain, restart and delete engines', { engine: true }),
    ],
  },
  {
    id: 'knowledge',
    label: 'Knowledge and skills',
    description: 'Knowledge entries and skills',
    scopes: [
      row('knowledge:read', 'Read knowledge', 'See knowledge and skills', openRead),
      row('knowledge:write', 'Change knowledge', 'Create, edit and delete knowledge and skills'),
    ],
  },
  {
    id: 'artifacts',
    label: 'Artifacts',
    description: 'Documents and pages that agents and people publish',
    scopes: [
      row('artifacts:read', 'Read artifacts', 'See artifacts and their versions', openRead),
      row('artifacts:write', 'Change artifacts', 'Create, edit and delete artifacts'),
    ],
  },
  {
    id: 'remotes',
    label: 'Remotes',
    description: 'Machines that agents may run commands on',
    scopes: [
      row('remotes:read', 'Read remotes', 'See remotes and the output of their commands'),
      row('remotes:write', 'Use remotes', 'Register remotes and run commands on them'),
    ],
  },
  {
    id: 'settings',
    label: 'Settings',
    description: 'Settings of the workspace',
    scopes: [
      row('settings:read', 'Read settings', 'See the settings of the workspace'),
      row('settings:write', 'Change settings', 'Change the settings of the workspace'),
    ],
  },
  {
    id: 'store',
    label: 'Store',
    description: 'The public store, managed by the platform workspace',
    scopes: [
      row('store:pricing', 'Store pricing', 'Read and change the price of a store version', { store: true }),
      row('store:submit', 'Submit to the store', 'Submit a version to the store', { store: true }),
    ],
  },
  {
    id: 'apikeys',
    label: 'API keys',
    description: 'Keys that act for you or for the workspace',
    scopes: [
      row('apikeys:read', 'Read API keys', 'List keys without their values', signIn),
      row('apikeys:write', 'Manage API keys', 'Create and revoke keys', signIn),
    ],
  },
  {
    id: 'user',
    label: 'Your account',
    description: 'Profile, sign-in sessions and connected apps',
    scopes: [
      row('user:read', 'Read your account', 'See profile, sessions and invites', signIn),
      row('user:write', 'Change your account', 'Edit the profile, end sessions, answer invites', signIn),
    ],
  },
  {
    id: 'approvals',
    label: 'Approvals',
    description: 'Pending decisions of agents and flows',
    scopes: [
      row('approvals:write', 'Answer approvals', 'Approve or reject tool calls, gates and input requests', signIn),
    ],
  },
  {
    id: 'admin',
    label: 'Platform administration',
    description: 'The whole platform; also needs a platform administrator',
    scopes: [
      row('admin:read', 'Read platform data', 'See every workspace as platform staff', signIn),
      row('admin:write', 'Administer the platform', 'Change workspaces and platform resources as staff', signIn),
    ],
  },
] as const satisfies readonly Group[]
