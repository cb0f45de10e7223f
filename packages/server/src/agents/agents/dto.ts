// Wire form of agents and their versions.
import type { AgentCard } from '@millrace/contract/agent-card'
import type { Agent, AgentVersion } from '@millrace/contract/agents'
import type { Images } from '@millrace/contract/apps'
import { shortId } from '@millrace/contract/ids'
import type { AgentRow } from './store.ts'
import type { Version } from './versions.ts'

const owned = (row: { user_id: string; team_id: string }) => ({
  user_id: row.user_id,
  user: null,
  team_id: row.team_id,
  team: null,
})

export const versionDto = ({ config, ...row }: Version, visibility: string): AgentVersion => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.created_at,
  deleted_at: null,
  ...owned(row),
  visibility: visibility as AgentVersion['visibility'],
  agent_id: row.agent_id ?? '',
  ...config,
  name: row.name,
  core_app: config.core_app ?? null,
  output_schema: config.output_schema ?? null,
})

export const agentDto = (row: AgentRow, version: Version | undefined): Agent => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: row.deleted_at,
  ...owned(row),
  visibility: row.visibility as Agent['visibility'],
  project_id: row.project_id,
  project: null,
  namespace: row.namespace,
  name: row.name,
  title: row.title || row.name,
  images: { card: '', thumbnail: '', banner: '', ...(row.images as Partial<Images>) },
  version_id: version?.id ?? row.version_id ?? '',
  version: version ? versionDto(version, row.visibility) : null,
  harness: row.harness,
  profile_id: row.profile_id,
  remote_id: row.remote_id,
})

const bearer = {
  type: 'http',
  scheme: 'bearer',
  httpAuthSecurityScheme: { scheme: 'bearer', description: 'An API key or an OAuth access token' },
} as const

/** The first interface is preferred; `url`, `security` and `type` are for clients of version 0.3. */
const protocolOf = (url: string) => ({
  url,
  protocolVersion: '0.3.0',
  preferredTransport: 'JSONRPC' as const,
  supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
    url,
    protocolBinding: 'JSONRPC' as const,
    protocolVersion,
    tenant: '',
  })),
  securitySchemes: { bearer },
  security: [{ bearer: [] }],
  securityRequirements: [{ schemes: { bearer: { list: [] } } }],
})

export const cardOf = (row: AgentRow, version: Version | undefined, baseUrl: string): AgentCard => ({
  name: row.title || row.name,
  description: version?.config.description ?? '',
  ...protocolOf(`${baseUrl}/a2a/${row.id}`),
  version: version?.id ?? '',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: (version?.config.skills ?? []).map((skill, index) => ({
    id: skill.name,
    name: skill.name,
    description: skill.description ?? '',
    tags: [],
    examples: index === 0 ? (version?.config.example_prompts ?? []) : [],
  })),
})
