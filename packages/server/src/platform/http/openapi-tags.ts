// The groups of the API reference in reading order, each with a description.
import type { Operation } from '../core/operation.ts'

const sentences: Readonly<Record<string, string>> = {
  apps: 'Apps, their versions and what they need',
  tasks: 'Runs of apps: start, stream, cancel, logs and webhooks',
  sessions: 'Workers that stay reserved for several runs of one caller',
  sockets: 'WebSockets between a client and a run',
  files: 'Files: upload, URLs, visibility',
  flows: 'Graphs of apps, edited with actions and published as versions',
  flow_runs: 'Runs of flows and their nodes',
  triggers: 'Triggers: schedule, webhook, time or manual',
  trigger_fires: 'Trigger events and their replay',
  trigger_sources: 'Webhook senders whose signatures are supported',
  agents: 'Agents: templates, versions, tools and rules',
  agent_runs: 'Agent runs and the approvals behind them',
  agent_sessions: 'Sessions of coding agents',
  chats: 'Chats with agents',
  chat_messages: 'Messages of chats',
  tools: 'Tool calls that wait for an answer',
  interrupts: 'Approvals and questions of agents',
  secrets: 'Encrypted values for apps',
  vaults: 'Groups of secrets and connections',
  credentials: 'Connections to other services',
  auth_providers: 'Services that can be connected, including those of the workspace',
  knowledge: 'Knowledge entries of agents',
  skills: 'Skills that agents can use',
  artifacts: 'Published pages and documents',
  projects: 'Projects that group resources',
  search: 'Search over all resources',
  suggest: 'Suggestions for a task description',
  store: 'Public apps and skills, prices and listings',
  engines: 'Engines: machines that run apps',
  apikeys: 'API keys',
  scopes: 'Scopes of API keys and sign-ins',
  me: 'The signed-in user',
  teams: 'Workspaces',
  members: 'Members of a workspace',
  team_invites: 'Invitations sent by a workspace',
  invites: 'Invitations received by a user',
  organizations: 'Groups of workspaces',
  entitlements: 'Limits and usage of a workspace',
  plans: 'Plans of the installation',
  workspaces: 'Every workspace of the installation, for its staff',
  ip_blocks: 'Blocked IP addresses, for staff',
  health: 'State of the installation, for its staff',
  billing: 'Balances, transactions and usage',
  audit: 'The audit log',
  events: 'Events of a workspace as a stream',
  ref_routes: 'Aliases of app names',
  auth: 'Sign-in, sessions and authenticators',
  openai: 'Routes for clients of OpenAI’s API',
  ag_ui: 'Agents for AG-UI clients',
  a2a: 'Agents for clients of the Agent2Agent protocol',
  device: 'Sign-in of devices through a browser',
  oauth: 'OAuth for other programs',
  dev: 'Development only',
}

const order = Object.keys(sentences)

const rank = (name: string): number => {
  const place = order.indexOf(name)
  return place < 0 ? order.length : place
}

/** An unlisted group comes last with a generated description. */
export const tagsOf = (operations: readonly Operation[]): { name: string; description: string }[] =>
  [...new Set(operations.map((operation) => operation.name.split('.')[0] ?? ''))]
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => ({ name, description: sentences[name] ?? `Operations on ${name.replaceAll('_', ' ')}` }))
