// The groups of the reference, in the order in which people need them, each with a sentence.
import type { Operation } from '../core/operation.ts'

const sentences: Readonly<Record<string, string>> = {
  apps: 'Apps, their versions and what they need',
  tasks: 'Runs of apps: starting, following, cancelling, logs and webhooks',
  sessions: 'Workers that are kept for several runs of one caller',
  sockets: 'Live sockets between a caller and a run',
  files: 'Files: uploads, addresses, visibility',
  flows: 'Graphs of apps, edited by actions and published by version',
  flow_runs: 'Runs of flows, step by step',
  triggers: 'What starts by itself: cron, webhooks, at a time, by hand',
  trigger_fires: 'What triggers did, and repeating it',
  trigger_sources: 'Senders of webhooks whose signatures are known',
  agents: 'Agents: templates, versions, tools and rules',
  agent_runs: 'Runs of agents and what allowed them',
  agent_sessions: 'How the sessions of coding agents went',
  chats: 'Chats with agents',
  chat_messages: 'Messages of chats',
  tools: 'Calls of tools that wait for an answer',
  interrupts: 'What agents ask people',
  secrets: 'Secrets: values that apps get and nobody reads',
  vaults: 'Groups of secrets and connections',
  credentials: 'Connections to other services',
  auth_providers: 'Services that can be connected, the workspace’s own included',
  knowledge: 'Entries that agents know',
  skills: 'Skills that agents can use',
  artifacts: 'Published pages and documents',
  projects: 'Projects that keep things together',
  search: 'Search over everything',
  suggest: 'What fits a task in words',
  store: 'Apps and skills for everybody, prices and listings',
  engines: 'Machines that run apps',
  apikeys: 'API keys',
  scopes: 'What keys and sign-ins may be allowed',
  me: 'Who is asking',
  teams: 'Workspaces',
  members: 'People of a workspace',
  team_invites: 'Invitations that a workspace has sent',
  invites: 'Invitations that one has got',
  organizations: 'Groups of workspaces',
  entitlements: 'What a workspace may use, and how much',
  plans: 'Plans of the installation',
  workspaces: 'Every workspace of the installation, for its staff',
  ip_blocks: 'Addresses that are turned away, for staff',
  health: 'How the installation is, for its staff',
  billing: 'Balances, transactions and usage',
  audit: 'The audit log',
  events: 'News of a workspace as a stream',
  ref_routes: 'Aliases of the platform',
  auth: 'Sign-in, sessions and authenticators',
  device: 'Sign-in of a device through a browser',
  oauth: 'OAuth for programs',
  dev: 'For development',
}

const order = Object.keys(sentences)

const rank = (name: string): number => {
  const place = order.indexOf(name)
  return place < 0 ? order.length : place
}

/** A group that is new here comes last and says its name. */
export const tagsOf = (operations: readonly Operation[]): { name: string; description: string }[] =>
  [...new Set(operations.map((operation) => operation.name.split('.')[0] ?? ''))]
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map((name) => ({ name, description: sentences[name] ?? `Operations on ${name.replaceAll('_', ' ')}` }))
