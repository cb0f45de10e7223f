// The tables whose rows count for `storage_mb`, and the reason for each table that does not count. A test
// finds tables without an entry.
import type { Database } from '#platform/db/schema.gen.ts'

type Table = keyof Database

type Owned = {
  readonly [T in Table]?: {
    readonly columns: readonly (keyof Database[T] & string)[]
    /** The counted table whose row owns this one, for tables without `team_id`. */
    readonly of?: readonly [parent: Table, reference: keyof Database[T] & string]
    /** Deleted rows are retained, and the index by workspace excludes them. */
    readonly retained?: true
  }
}

export const storedTables = {
  tasks: { columns: ['input', 'output', 'setup', 'metadata', 'events', 'error'], retained: true },
  task_log_chunks: { columns: ['content'], of: ['tasks', 'task_id'] },
  webhook_deliveries: { columns: ['body'] },
  flow_runs: { columns: ['input', 'output', 'metadata', 'nodes', 'error'] },
  flow_run_nodes: { columns: ['output', 'error'], of: ['flow_runs', 'run_id'] },
  flow_run_events: { columns: ['events'], of: ['flow_runs', 'run_id'] },
  flow_run_items: { columns: ['value', 'error'], of: ['flow_runs', 'run_id'] },
  flow_run_loop_chunks: { columns: ['items'], of: ['flow_runs', 'run_id'] },
  flow_run_loops: { columns: ['input'], of: ['flow_runs', 'run_id'] },
  flows: { columns: ['title', 'description', 'history'] },
  flow_versions: { columns: ['graph'], of: ['flows', 'flow_id'] },
  triggers: { columns: ['config', 'input', 'input_mapping', 'filters'] },
  trigger_fires: { columns: ['payload', 'whole_payload', 'error'] },
  agents: { columns: ['title', 'images'] },
  agent_versions: { columns: ['description', 'config'] },
  agent_version_secrets: { columns: ['value_sealed'] },
  chats: {
    columns: ['name', 'description', 'agent_data', 'output', 'context', 'channel_context'],
    retained: true,
  },
  chat_messages: { columns: ['content', 'tools', 'usage'], of: ['chats', 'chat_id'] },
  agent_runs: { columns: ['output', 'injections', 'metadata', 'error'], of: ['chats', 'chat_id'] },
  tool_invocations: { columns: ['arguments', 'result', 'data', 'widget', 'used', 'explanation'] },
  interrupts: { columns: ['resolved_data', 'meta'] },
  hook_calls: { columns: ['data'] },
  tool_rules: { columns: ['selector', 'specifier', 'label'] },
  apps: { columns: ['title', 'description', 'agent_description', 'images', 'tags'], retained: true },
  app_versions: {
    columns: ['metadata', 'setup_schema', 'functions', 'variants', 'env', 'resources'],
    of: ['apps', 'app_id'],
  },
  artifacts: { columns: ['title', 'description', 'images'], retained: true },
  artifact_versions: { columns: ['content', 'notes', 'label', 'capabilities'], of: ['artifacts', 'artifact_id'] },
  knowledge: { columns: ['title', 'description'], retained: true },
  knowledge_contents: { columns: ['content'], of: ['knowledge', 'knowledge_id'] },
  knowledge_versions: {
    columns: ['files', 'description', 'metadata', 'skill', 'version_notes'],
    of: ['knowledge', 'knowledge_id'],
  },
  projects: { columns: ['name', 'description'] },
  engines: { columns: ['name', 'config', 'system_info'], retained: true },
  remotes: { columns: ['name', 'system_info'] },
  remote_profiles: { columns: ['command', 'args', 'capabilities'] },
  exec_runs: { columns: ['command', 'args', 'env_sealed', 'error'] },
  secrets: { columns: ['description'] },
  secret_versions: { columns: ['value_sealed'] },
  vaults: { columns: ['name', 'description'] },
  auth_providers: { columns: ['description', 'how_it_works', 'specs'] },
  mcp_servers: { columns: ['title', 'description'] },
  credentials: { columns: ['metadata', 'access_token_sealed', 'refresh_token_sealed', 'id_token_sealed'] },
} as const satisfies Owned

/** Tables of workspaces and of features that do not count, by reason. */
export const uncountedTables = {
  'counted or limited elsewhere': ['files', 'exec_chunks', 'exec_inputs', 'mcp_tools', 'idempotency_keys'],
  'derived from counted rows': [
    'search_documents',
    'search_vectors',
    'search_changes',
    'knowledge_references',
    'harness_sessions',
    'workers',
    'task_telemetry',
    'live_sockets',
    'app_sessions',
    'agent_errands',
    'run_charges',
  ],
  'records that a workspace cannot delete': [
    'audit_log',
    'audit_segments',
    'audit_head',
    'transactions',
    'ledger_entries',
    'ledger_closings',
    'billing_accounts',
    'spend_totals',
    'task_execution_counts',
    'search_impressions',
    'search_conversions',
    'agent_sessions',
    'auth_sessions',
  ],
  'short rows, or as few as other limits allow': [
    'api_keys',
    'api_key_previous_values',
    'app_aliases',
    'app_licenses',
    'budgets',
    'data_keys',
    'instances',
    'invites',
    'openai_conversations',
    'org_admins',
    'organizations',
    'rate_windows',
    'team_members',
    'team_plans',
    'teams',
    'usage_policies',
    'users',
    'vault_credentials',
    'vault_secrets',
  ],
  'written by the operator or the platform': [
    'bus_letters',
    'clouds',
    'companies',
    'entitlements',
    'instance_prices',
    'instance_types',
    'ip_blocks',
    'mcp_directory',
    'pages',
    'plans',
    'server_state',
    'servers',
    'upload_keys',
  ],
  'deleted within a day': [
    'device_authorizations',
    'guess_windows',
    'magic_links',
    'oauth_clients',
    'oauth_codes',
    'oauth_states',
    'oidc_attempts',
    'otp_challenges',
  ],
} as const satisfies Readonly<Record<string, readonly Exclude<Table, keyof typeof storedTables>[]>>
