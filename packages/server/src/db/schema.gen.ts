// Generated from the migrated database by `npm run generate`. Do not edit.
import type { ColumnType } from 'kysely'

/** RFC 3339 text with microseconds when read; text or a date when written. */
export type Timestamp = ColumnType<string, string | Date, string | Date>
/** A parsed JSON value when read; JSON text when written. */
export type Json = ColumnType<unknown, string, string>
type WithDefault<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
type OrNull<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S | null, I | null | undefined, U | null> : ColumnType<T | null, T | null | undefined, T | null>

export type Database = {
  agent_errands: {
    id: string
    team_id: string
    run_id: string
    chat_id: string
    kind: 'tool' | 'hook' | 'learn'
    subject_id: string
    sent_at: OrNull<Timestamp>
    available_at: Timestamp
    created_at: WithDefault<Timestamp>
    server_id: OrNull<string>
  }
  agent_runs: {
    id: string
    team_id: string
    user_id: string
    chat_id: string
    agent_id: OrNull<string>
    agent_version_id: string
    user_message_id: OrNull<string>
    state: 'submitted' | 'working' | 'input_required' | 'auth_required' | 'completed' | 'failed' | 'canceled' | 'rejected'
    error: WithDefault<string>
    output: OrNull<Json>
    phase: string
    turn: WithDefault<number>
    lost: WithDefault<number>
    model_task_id: OrNull<string>
    message_id: OrNull<string>
    injections: WithDefault<Json>
    tool_invocation_id: OrNull<string>
    trigger_id: OrNull<string>
    flow_run_id: OrNull<string>
    task_id: OrNull<string>
    run_as: Json
    started_by: WithDefault<Json>
    metadata: WithDefault<Json>
    event_seq: number
    started_at: WithDefault<Timestamp>
    finished_at: OrNull<Timestamp>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    remote_id: OrNull<string>
    profile_id: OrNull<string>
    traceparent: WithDefault<string>
    place: WithDefault<number>
  }
  agent_sessions: {
    team_id: string
    session_id: string
    user_id: string
    agent: string
    messages: number
    user_turns: number
    files_edited: number
    tools: string[]
    created_at: Timestamp
    updated_at: Timestamp
  }
  agent_version_secrets: {
    id: string
    version_id: string
    team_id: string
    tool: string
    value_sealed: Buffer
    hint: WithDefault<string>
  }
  agent_versions: {
    id: string
    agent_id: OrNull<string>
    team_id: string
    user_id: string
    name: WithDefault<string>
    description: WithDefault<string>
    config: Json
    content_hash: WithDefault<string>
    created_at: WithDefault<Timestamp>
  }
  agents: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    namespace: string
    name: string
    title: WithDefault<string>
    images: WithDefault<Json>
    version_id: OrNull<string>
    harness: WithDefault<string>
    profile_id: OrNull<string>
    remote_id: OrNull<string>
    project_id: OrNull<string>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
  }
  api_key_previous_values: {
    token_hash: Buffer
    key_id: string
    expires_at: Timestamp
  }
  api_keys: {
    id: string
    team_id: string
    user_id: string
    created_by: string
    name: string
    scope: 'user' | 'workspace'
    scopes: WithDefault<string[]>
    holds_engine_scopes: WithDefault<boolean>
    token_hash: Buffer
    last_four: string
    source: WithDefault<string>
    last_used_at: OrNull<Timestamp>
    expires_at: OrNull<Timestamp>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    engine_id: OrNull<string>
    serves_all: WithDefault<boolean>
  }
  app_aliases: {
    id: string
    namespace: string
    name: string
    app_id: OrNull<string>
    function: WithDefault<string>
    url: OrNull<string>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  app_licenses: {
    id: string
    app_id: string
    user_id: string
    license: string
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  app_sessions: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    engine_id: OrNull<string>
    worker_id: OrNull<string>
    app_id: string
    app_version_id: string
    status: WithDefault<'active' | 'ended' | 'expired'>
    idle_timeout: number
    expires_at: OrNull<Timestamp>
    ended_at: OrNull<Timestamp>
    last_call_at: OrNull<Timestamp>
    task_id: OrNull<string>
    call_count: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  app_versions: {
    id: string
    app_id: string
    created_by: string
    metadata: WithDefault<Json>
    repository: WithDefault<string>
    checksum: WithDefault<string>
    kernel: WithDefault<string>
    setup_schema: OrNull<Json>
    functions: Json
    default_function: WithDefault<string>
    variants: WithDefault<Json>
    env: WithDefault<Json>
    resources: Json
    required_secrets: WithDefault<Json>
    required_credentials: WithDefault<Json>
    flow_version_id: OrNull<string>
    created_at: WithDefault<Timestamp>
  }
  apps: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<'private' | 'team' | 'public'>
    namespace: string
    name: string
    title: WithDefault<string>
    description: WithDefault<string>
    agent_description: WithDefault<string>
    category: WithDefault<'image' | 'video' | 'audio' | 'text' | 'chat' | '3d' | 'flow' | 'decision' | 'other' | 'social' | 'utilities' | 'multimodal'>
    tags: WithDefault<string[]>
    images: WithDefault<Json>
    version_id: OrNull<string>
    status: WithDefault<'active' | 'maintenance' | 'deprecated' | 'retired'>
    status_message: WithDefault<string>
    status_changed_at: OrNull<Timestamp>
    subcategory: WithDefault<string>
    is_featured: WithDefault<boolean>
    rank: WithDefault<number>
    delisted: WithDefault<boolean>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    pricing: OrNull<Json>
    submitted_version_id: OrNull<string>
  }
  artifact_versions: {
    id: string
    artifact_id: string
    number: number
    content: Buffer
    content_hash: string
    md5: string
    size_bytes: number
    label: WithDefault<string>
    notes: WithDefault<string>
    origin: WithDefault<string>
    generated_by: WithDefault<string>
    capabilities: WithDefault<Json>
    created_by: string
    created_at: Timestamp
  }
  artifacts: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<'private' | 'team' | 'org' | 'unlisted' | 'public'>
    namespace: string
    name: string
    title: string
    description: WithDefault<string>
    favicon: WithDefault<string>
    type: 'html' | 'markdown'
    images: WithDefault<Json>
    version_id: string
    shared_version_id: OrNull<string>
    views: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
  }
  audit_head: {
    only_row: WithDefault<boolean>
    seq: number
    hash: string
  }
  audit_log: {
    seq: number
    id: string
    created_at: Timestamp
    team_id: string
    actor_user_id: string
    actor_kind: string
    actor_id: string
    action: string
    resource_type: string
    resource_id: string
    meta: Json
    ip: string
    user_agent: string
    previous_hash: string
    hash: string
  }
  audit_segments: {
    to_seq: number
    from_seq: number
    previous_hash: string
    hash: string
    first_at: Timestamp
    last_at: Timestamp
    seal_sealed: Buffer
    closed_at: Timestamp
  }
  auth_providers: {
    id: string
    team_id: OrNull<string>
    user_id: OrNull<string>
    slug: string
    provider: string
    display_name: string
    icon_url: WithDefault<string>
    icon_given: WithDefault<boolean>
    website: WithDefault<string>
    description: WithDefault<string>
    docs_url: WithDefault<string>
    how_it_works: WithDefault<string[]>
    scope: 'team' | 'platform'
    connection_scope: WithDefault<'team' | 'user'>
    specs: Json
    mcp_server_url: OrNull<string>
    seeded: WithDefault<boolean>
    edited_at: OrNull<Timestamp>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
  }
  auth_sessions: {
    id: string
    user_id: string
    token_hash: Buffer
    kind: 'browser' | 'token'
    auth_method: string
    team_id: OrNull<string>
    scopes: OrNull<string[]>
    elevated: WithDefault<boolean>
    csrf_token: WithDefault<string>
    ip: WithDefault<string>
    user_agent: WithDefault<string>
    country_code: WithDefault<string>
    parent_session_id: OrNull<string>
    created_at: WithDefault<Timestamp>
    last_seen_at: WithDefault<Timestamp>
    expires_at: Timestamp
    revoked_at: OrNull<Timestamp>
    city: WithDefault<string>
    region: WithDefault<string>
  }
  billing_accounts: {
    team_id: string
    id: string
    balance: WithDefault<number>
    status: WithDefault<'active' | 'spend_locked' | 'manual_hold' | 'suspended'>
    seq: WithDefault<number>
    hash: WithDefault<string>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  budgets: {
    id: string
    team_id: string
    user_id: string
    subject_type: 'workspace' | 'api_key' | 'agent' | 'flow' | 'trigger'
    subject_id: string
    period: 'day' | 'month'
    limit: number
    enforcement: 'block' | 'warn'
    created_at: Timestamp
    updated_at: Timestamp
  }
  bus_letters: {
    id: WithDefault<number>
    body: string
    sent_at: WithDefault<Timestamp>
  }
  chat_messages: {
    id: string
    chat_id: string
    team_id: string
    user_id: string
    agent_run_id: OrNull<string>
    order: number
    status: 'pending' | 'queued' | 'ready' | 'failed' | 'cancelled'
    role: string
    content: WithDefault<Json>
    task_id: OrNull<string>
    tools: OrNull<Json>
    usage: OrNull<Json>
    event_seq: number
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    sent_as: OrNull<Json>
  }
  chats: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    name: WithDefault<string>
    is_named: WithDefault<boolean>
    description: WithDefault<string>
    parent_id: OrNull<string>
    root_id: string
    depth: WithDefault<number>
    agent_id: OrNull<string>
    agent_version_id: string
    status: WithDefault<'busy' | 'idle' | 'awaiting_input' | 'completed'>
    active_run_id: OrNull<string>
    agent_data: WithDefault<Json>
    output: OrNull<Json>
    context: WithDefault<Json>
    channel_context: OrNull<Json>
    work_dir: WithDefault<string>
    harness_session_id: WithDefault<string>
    forked_from_message_id: OrNull<string>
    project_id: OrNull<string>
    next_order: WithDefault<number>
    event_seq: WithDefault<number>
    run_count: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    remote_id: OrNull<string>
    profile_id: OrNull<string>
  }
  clouds: {
    key: string
    kind: 'http' | 'local'
    name: string
    logo_url: WithDefault<string>
    url: WithDefault<string>
    token_sealed: OrNull<Buffer>
    enabled: WithDefault<boolean>
    created_at: Timestamp
    updated_at: Timestamp
  }
  companies: {
    slug: string
    display_name: string
    type: 'oauth' | 'api_key'
    website: WithDefault<string>
    icon_url: WithDefault<string>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  credentials: {
    id: string
    team_id: string
    user_id: string
    org_id: OrNull<string>
    visibility: WithDefault<'private' | 'team' | 'org' | 'unlisted' | 'public'>
    provider: string
    type: 'oauth' | 'api_key' | 'mcp' | 'service_account' | 'wif'
    grant: WithDefault<string>
    app_credential_id: OrNull<string>
    scope: 'platform' | 'org' | 'team' | 'user' | 'agent'
    status: WithDefault<'pending' | 'connected' | 'disconnected' | 'expired' | 'error'>
    display_name: WithDefault<string>
    icon_url: WithDefault<string>
    account_identifier: WithDefault<string>
    account_name: WithDefault<string>
    scopes: WithDefault<string[]>
    expires_at: OrNull<Timestamp>
    vault_id: OrNull<string>
    metadata: WithDefault<Json>
    is_primary: WithDefault<boolean>
    error_message: WithDefault<string>
    access_token_sealed: OrNull<Buffer>
    refresh_token_sealed: OrNull<Buffer>
    id_token_sealed: OrNull<Buffer>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    token_generation: WithDefault<number>
    refresh_lease: OrNull<string>
    refresh_lease_until: OrNull<Timestamp>
  }
  data_keys: {
    id: string
    team_id: string
    master_key_id: string
    sealed_key: Buffer
    active: WithDefault<boolean>
    created_at: WithDefault<Timestamp>
    retired_at: OrNull<Timestamp>
  }
  device_authorizations: {
    id: string
    device_code_hash: Buffer
    user_code: string
    token_kind: 'session' | 'api_key'
    status: WithDefault<'pending' | 'approved' | 'denied' | 'expired' | 'delivered'>
    code_challenge: OrNull<string>
    claim_code_hash: OrNull<Buffer>
    claim_attempts: WithDefault<number>
    user_id: OrNull<string>
    team_id: OrNull<string>
    scopes: OrNull<string[]>
    lifetime_seconds: OrNull<number>
    client_name: WithDefault<string>
    ip: WithDefault<string>
    last_polled_at: OrNull<Timestamp>
    interval_seconds: WithDefault<number>
    created_at: WithDefault<Timestamp>
    expires_at: Timestamp
    approved_at: OrNull<Timestamp>
    elevated: WithDefault<boolean>
  }
  engines: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    name: string
    api_url: WithDefault<string>
    status: WithDefault<'pending' | 'running' | 'draining' | 'restarting' | 'disconnected' | 'stopping' | 'stopped'>
    stop_reason: WithDefault<string>
    engine_version: WithDefault<string>
    config: WithDefault<Json>
    system_info: OrNull<Json>
    public_key: WithDefault<string>
    infra: WithDefault<'cloud' | 'private'>
    connected: WithDefault<boolean>
    replica: WithDefault<string>
    connection_number: WithDefault<number>
    disconnected_at: OrNull<Timestamp>
    last_seen_at: OrNull<Timestamp>
    event_seq: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    own_drain: WithDefault<boolean>
    server_id: OrNull<string>
    asked_update: OrNull<Json>
  }
  entitlements: {
    id: string
    team_id: string
    resource: string
    type: 'limit' | 'boolean'
    enabled: WithDefault<boolean>
    unlimited: WithDefault<boolean>
    limit: WithDefault<number>
    source: 'tier' | 'addon' | 'trial' | 'whitelist' | 'override'
    enforcement: WithDefault<'block' | 'warn'>
    expires_at: OrNull<Timestamp>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  exec_chunks: {
    exec_run_id: string
    seq: number
    stream: string
    data: Buffer
    starts_at: number
    cost_to: number
    created_at: WithDefault<Timestamp>
  }
  exec_inputs: {
    exec_run_id: string
    seq: number
    data: Buffer
    eof: WithDefault<boolean>
  }
  exec_runs: {
    id: string
    team_id: string
    user_id: string
    owner_id: string
    remote_id: string
    command: string
    args: WithDefault<string[]>
    cwd: WithDefault<string>
    env_names: WithDefault<string[]>
    env_sealed: OrNull<Buffer>
    pty: WithDefault<boolean>
    stdin: WithDefault<boolean>
    cols: OrNull<number>
    rows: OrNull<number>
    timeout_ms: WithDefault<number>
    status: WithDefault<'pending' | 'running' | 'exited' | 'killed' | 'denied'>
    exit_code: OrNull<number>
    error: WithDefault<string>
    timed_out: WithDefault<boolean>
    signalled_at: OrNull<Timestamp>
    started_at: OrNull<Timestamp>
    ended_at: OrNull<Timestamp>
    duration_ms: OrNull<number>
    requested_by: WithDefault<'loop' | 'agent' | 'user'>
    agent_run_id: OrNull<string>
    last_seq: WithDefault<number>
    output_bytes: WithDefault<number>
    output_cost: WithDefault<number>
    dropped_bytes: WithDefault<number>
    dropped_cost: WithDefault<number>
    dropped_after_seq: OrNull<number>
    dropped_to_seq: OrNull<number>
    input_seq: WithDefault<number>
    input_acked: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    tool_invocation_id: OrNull<string>
    told_at: OrNull<Timestamp>
  }
  files: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<'private' | 'team' | 'org' | 'unlisted' | 'public'>
    category: WithDefault<'files' | 'apps' | 'outputs' | 'artifacts' | 'avatars'>
    filename: WithDefault<string>
    content_type: WithDefault<string>
    path: WithDefault<string>
    media_key: string
    rating: WithDefault<string>
    size: WithDefault<number>
    max_bytes: number
    upload_expires_at: Timestamp
    blob_key: OrNull<string>
    sha256: OrNull<string>
    uploaded_at: OrNull<Timestamp>
    adopted: WithDefault<boolean>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  flow_run_events: {
    run_id: string
    seq: number
    events: Json
    created_at: Timestamp
  }
  flow_run_nodes: {
    run_id: string
    node_id: string
    status: string
    attempt: OrNull<number>
    task_id: OrNull<string>
    output: OrNull<Json>
    error: OrNull<string>
    gate: OrNull<boolean>
    blocked_by: OrNull<string>
    deadline_ms: OrNull<number>
    retry_at_ms: OrNull<number>
  }
  flow_runs: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    flow_id: string
    flow_version_id: string
    graph_version: number
    task_id: string
    status: number
    input: Json
    output: OrNull<Json>
    error: WithDefault<string>
    fail_on_error: WithDefault<boolean>
    origin_run_id: OrNull<string>
    trigger_id: OrNull<string>
    run_as: Json
    metadata: WithDefault<Json>
    event_seq: WithDefault<number>
    log_length: number
    started_at: OrNull<Timestamp>
    finished_at: OrNull<Timestamp>
    cancelled_at: OrNull<Timestamp>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    nodes: OrNull<Json>
    root_run_id: OrNull<string>
    node_count: OrNull<number>
    traceparent: WithDefault<string>
  }
  flow_versions: {
    id: string
    flow_id: string
    graph_version: number
    graph: Json
    frozen: WithDefault<boolean>
    created_by: string
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  flows: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<'private' | 'unlisted' | 'public'>
    namespace: string
    name: string
    title: WithDefault<string>
    description: WithDefault<string>
    card_image: WithDefault<string>
    thumbnail: WithDefault<string>
    banner_image: WithDefault<string>
    draft_version_id: string
    published_version_id: OrNull<string>
    app_id: OrNull<string>
    history: WithDefault<Json>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  guess_windows: {
    kind: 'user_code' | 'claim_code'
    caller: string
    window_start: Timestamp
    misses: number
  }
  harness_sessions: {
    chat_id: string
    team_id: string
    remote_id: string
    profile_id: string
    harness: string
    status: WithDefault<'opening' | 'open' | 'closing' | 'closed'>
    attempt: WithDefault<number>
    work_dir: WithDefault<string>
    resume_session_id: WithDefault<string>
    last_seq: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  hook_calls: {
    id: string
    team_id: string
    run_id: string
    chat_id: string
    event: string
    position: number
    tool_invocation_id: OrNull<string>
    status: WithDefault<'pending' | 'answered'>
    is_waited_for: boolean
    data: WithDefault<Json>
    execution_id: OrNull<string>
    created_at: WithDefault<Timestamp>
  }
  idempotency_keys: {
    owner: string
    key: string
    fingerprint: Buffer
    status: OrNull<number>
    answer_sealed: OrNull<Buffer>
    started_at: WithDefault<Timestamp>
    finished_at: OrNull<Timestamp>
  }
  instance_prices: {
    gpu_type: string
    num_gpus: number
    day: string
    point: OrNull<Json>
  }
  instance_types: {
    cloud_key: string
    catalog_instance_type: string
    position: number
    cloud_instance_type: string
    deployment_type: 'vm' | 'container' | 'baremetal'
    configuration: Json
    availability: Json
    boot_time: OrNull<Json>
  }
  instances: {
    id: string
    engine_id: string
    team_id: string
    user_id: string
    cloud: string
    kind: 'http' | 'local'
    host: WithDefault<string>
    name: string
    region: string
    catalog_instance_type: string
    cloud_instance_type: string
    rental_type: 'on_demand' | 'spot'
    hourly_price: number
    configuration: Json
    cloud_assigned_id: WithDefault<string>
    ip: WithDefault<string>
    ssh_user: WithDefault<string>
    ssh_port: WithDefault<number>
    status: 'creating' | 'pending_provider' | 'pending' | 'active' | 'error' | 'deleting' | 'deleted'
    end_time: Timestamp
    paid: number
    debit_id: string
    api_key_sealed: OrNull<Buffer>
    launch_until: OrNull<Timestamp>
    next_look_at: Timestamp
    failures: WithDefault<number>
    removals_left: WithDefault<number>
    interruption_at: OrNull<Timestamp>
    ended_at: OrNull<Timestamp>
    created_at: Timestamp
    updated_at: Timestamp
    deleted_at: OrNull<Timestamp>
    payments: WithDefault<Json>
  }
  interrupts: {
    id: string
    team_id: string
    user_id: string
    run_id: string
    chat_id: string
    reason: string
    source: WithDefault<string>
    resource_id: OrNull<string>
    resource_type: OrNull<string>
    status: WithDefault<'pending' | 'resolved' | 'expired' | 'cancelled'>
    resolution: OrNull<'allow' | 'deny'>
    resolved_at: OrNull<Timestamp>
    resolved_by: OrNull<string>
    resolved_data: OrNull<Json>
    expires_at: OrNull<Timestamp>
    meta: WithDefault<Json>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  invites: {
    id: string
    team_id: string
    email: string
    mailbox: string
    role: 'owner' | 'admin' | 'member'
    status: WithDefault<'pending' | 'accepted' | 'declined' | 'expired' | 'revoked'>
    token_hash: Buffer
    invited_by: string
    expires_at: Timestamp
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  ip_blocks: {
    id: string
    network: string
    reason: WithDefault<string>
    created_at: WithDefault<Timestamp>
  }
  knowledge: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<'private' | 'team' | 'org' | 'unlisted' | 'public'>
    namespace: string
    name: string
    title: WithDefault<string>
    description: string
    type: 'skill' | 'concept' | 'observation' | 'reference' | 'preference' | 'person' | 'project' | 'agent-config'
    lifecycle: WithDefault<'permanent' | 'decay'>
    version_id: string
    content_hash: string
    repo_url: WithDefault<string>
    category: WithDefault<string>
    parent_id: OrNull<string>
    parent_version_id: OrNull<string>
    uses: WithDefault<number>
    installs: WithDefault<number>
    is_featured: WithDefault<boolean>
    rank: WithDefault<number>
    delisted: WithDefault<boolean>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
  }
  knowledge_contents: {
    knowledge_id: string
    hash: string
    content: string
  }
  knowledge_references: {
    knowledge_id: string
    target_id: string
  }
  knowledge_versions: {
    id: string
    knowledge_id: string
    files: Json
    content_hash: string
    description: WithDefault<string>
    tags: WithDefault<string[]>
    scope: WithDefault<string[]>
    metadata: WithDefault<Json>
    origin: WithDefault<string>
    generated_by: WithDefault<string>
    source_url: WithDefault<string>
    mutation_type: 'create' | 'update' | 'fork' | 'import'
    version_notes: WithDefault<string>
    skill: WithDefault<Json>
    last_confirmed_at: Timestamp
    created_by: string
    created_at: Timestamp
  }
  ledger_closings: {
    team_id: string
    seq: number
    hash: string
    balance: number
    sums: Json
    seal_sealed: Buffer
    closed_at: Timestamp
  }
  ledger_entries: {
    transaction_id: string
    account: 'workspace' | 'held' | 'platform' | 'provider' | 'author'
    owner: string
    amount: number
  }
  live_sockets: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    task_id: string
    relay: WithDefault<string>
    status: WithDefault<'pending' | 'open' | 'closed'>
    paired_at: OrNull<Timestamp>
    ended_at: OrNull<Timestamp>
    outcome: OrNull<string>
    close_code: OrNull<number>
    close_reason: OrNull<string>
    client_frames: WithDefault<number>
    client_bytes: WithDefault<number>
    worker_frames: WithDefault<number>
    worker_bytes: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    server_id: OrNull<string>
  }
  magic_links: {
    id: string
    email: string
    token_hash: Buffer
    code_sealed: Buffer
    code_attempts: WithDefault<number>
    redirect_to: OrNull<string>
    created_at: WithDefault<Timestamp>
    expires_at: Timestamp
    code_expires_at: Timestamp
    used_at: OrNull<Timestamp>
    asker: WithDefault<string>
  }
  mcp_directory: {
    id: string
    slug: string
    namespace: string
    name: string
    title: string
    description: string
    icon_url: WithDefault<string>
    server_url: string
    auth_type: 'oauth' | 'api_key' | 'none'
    default_scopes: WithDefault<string[]>
    documentation_url: WithDefault<string>
    category: 'developer' | 'productivity' | 'data' | 'communication' | 'ai' | 'other'
    is_featured: WithDefault<boolean>
    rank: WithDefault<number>
    installs: WithDefault<number>
    uses: WithDefault<number>
    created_at: Timestamp
    updated_at: Timestamp
  }
  mcp_servers: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<'private' | 'team' | 'org' | 'unlisted' | 'public'>
    namespace: string
    slug: string
    name: string
    title: WithDefault<string>
    description: WithDefault<string>
    icon_url: WithDefault<string>
    server_url: string
    auth_type: 'oauth' | 'api_key' | 'none'
    oauth_client_id: WithDefault<string>
    default_scopes: WithDefault<string[]>
    documentation_url: WithDefault<string>
    provider: OrNull<string>
    created_at: Timestamp
    updated_at: Timestamp
  }
  mcp_tools: {
    team_id: string
    server_url: string
    credential_id: string
    tools: Json
    fetched_at: Timestamp
  }
  oauth_clients: {
    id: string
    name: string
    client_uri: WithDefault<string>
    redirect_uris: string[]
    ip: WithDefault<string>
    created_at: Timestamp
    used_at: OrNull<Timestamp>
  }
  oauth_codes: {
    code_hash: Buffer
    client_id: string
    user_id: string
    team_id: string
    scopes: string[]
    redirect_uri: string
    code_challenge: string
    lifetime_seconds: number
    created_at: Timestamp
    expires_at: Timestamp
    used_at: OrNull<Timestamp>
  }
  oauth_states: {
    id: string
    state_hash: Buffer
    team_id: string
    user_id: string
    credential_id: string
    app_credential_id: string
    provider: string
    scopes: WithDefault<string[]>
    redirect_uri: string
    code_verifier_sealed: OrNull<Buffer>
    created_at: WithDefault<Timestamp>
    expires_at: Timestamp
  }
  oidc_attempts: {
    state: string
    nonce: string
    code_verifier: string
    redirect_to: OrNull<string>
    created_at: WithDefault<Timestamp>
    expires_at: Timestamp
  }
  org_admins: {
    org_id: string
    user_id: string
    created_at: WithDefault<Timestamp>
  }
  organizations: {
    id: string
    name: string
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
  }
  otp_challenges: {
    id: string
    user_id: string
    token_hash: Buffer
    auth_method: string
    redirect_to: OrNull<string>
    attempts: WithDefault<number>
    created_at: WithDefault<Timestamp>
    expires_at: Timestamp
    used_at: OrNull<Timestamp>
  }
  pages: {
    id: string
    namespace: string
    name: string
    title: string
    description: string
    body: string
    published: boolean
    updated_at: Timestamp
  }
  plans: {
    id: string
    name: string
    description: WithDefault<string>
    display_order: WithDefault<number>
    active: WithDefault<boolean>
    self_serve: WithDefault<boolean>
    plan_type: 'base' | 'addon'
    is_default: WithDefault<boolean>
    credits_monthly: WithDefault<number>
    stackable: WithDefault<boolean>
    limits: WithDefault<Json>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  projects: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<'private' | 'team' | 'org' | 'unlisted' | 'public'>
    name: string
    description: WithDefault<string>
    type: 'agent' | 'app' | 'flow' | 'other'
    color: WithDefault<string>
    icon: WithDefault<string>
    parent_id: OrNull<string>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  rate_windows: {
    team_id: string
    name: string
    window_start: Timestamp
    count: number
  }
  remote_profiles: {
    id: string
    remote_id: string
    team_id: string
    harness_kind: string
    name: string
    command: WithDefault<string>
    args: WithDefault<string[]>
    status: 'idle' | 'busy' | 'unavailable'
    max_concurrent: WithDefault<number>
    version: WithDefault<string>
    capabilities: Json
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  remotes: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    name: WithDefault<string>
    named_by_hand: WithDefault<boolean>
    public_key: WithDefault<string>
    status: WithDefault<'pending' | 'running' | 'disconnected' | 'stopped'>
    heartbeat_at: OrNull<Timestamp>
    disconnected_at: OrNull<Timestamp>
    connected: WithDefault<boolean>
    connection_number: WithDefault<number>
    system_info: OrNull<Json>
    remote_version: WithDefault<string>
    exec_enabled: WithDefault<boolean>
    agents_enabled: WithDefault<boolean>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    server_id: OrNull<string>
  }
  run_charges: {
    task_id: string
    team_id: string
    app_id: string
    author_team_id: string
    pricing: Json
    reserved: number
    total: OrNull<number>
    created_at: Timestamp
    settled_at: OrNull<Timestamp>
    subjects: WithDefault<Json>
    is_open_ended: WithDefault<boolean>
  }
  search_changes: {
    number: WithDefault<number>
    id: string
    transaction: WithDefault<number>
    changed_at: WithDefault<Timestamp>
  }
  search_conversions: {
    impression_id: string
    resource_name: string
    resource_type: string
    created_at: Timestamp
  }
  search_documents: {
    id: string
    source: string
    kind: string
    team_id: string
    user_id: string
    visibility: string
    listed: boolean
    namespace: string
    name: string
    title: string
    description: string
    tags: string[]
    resource_kind: string
    origin: string
    content_hash: string
    confirmed_at: OrNull<Timestamp>
    scope: string[]
    label: string
    words: string
    meaning: string
    meaning_hash: string
    vector_hash: OrNull<string>
    updated_at: Timestamp
  }
  search_impressions: {
    id: string
    team_id: OrNull<string>
    user_id: OrNull<string>
    query: string
    results: Json
    created_at: Timestamp
  }
  search_vectors: {
    id: string
    model: string
    components: Buffer
  }
  secret_versions: {
    id: string
    secret_id: string
    team_id: string
    number: number
    value_sealed: Buffer
    hint: WithDefault<string>
    user_id: string
    created_at: WithDefault<Timestamp>
  }
  secrets: {
    id: string
    team_id: string
    user_id: string
    key: string
    description: WithDefault<string>
    scope: WithDefault<'team' | 'internal' | 'system'>
    credential_id: OrNull<string>
    version: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
  }
  server_state: {
    name: string
    value: Json
    updated_at: WithDefault<Timestamp>
  }
  servers: {
    id: string
    place: string
    address: string
    version: string
    keeps_files_apart: boolean
    keeps_key_apart: boolean
    bus: string
    draining: WithDefault<boolean>
    started_at: WithDefault<Timestamp>
    seen_at: WithDefault<Timestamp>
  }
  spend_totals: {
    team_id: string
    subject_type: 'workspace' | 'api_key' | 'agent' | 'flow' | 'trigger'
    subject_id: string
    period: 'day' | 'month'
    starts_on: string
    spent: WithDefault<number>
    held: WithDefault<number>
  }
  task_log_chunks: {
    task_id: string
    log_type: number
    seq: WithDefault<number>
    content: string
    created_at: WithDefault<Timestamp>
  }
  task_telemetry: {
    id: string
    task_id: string
    task_seq: number
    app_id: string
    app_version_id: string
    engine_id: string
    worker_id: string
    engine_resources: Json
    system_info: Json
    created_at: Timestamp
  }
  tasks: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    status: number
    app_id: WithDefault<string>
    app_version_id: WithDefault<string>
    app_variant: WithDefault<string>
    function: WithDefault<string>
    is_stream: WithDefault<boolean>
    infra: WithDefault<string>
    workers: WithDefault<string[]>
    setup: OrNull<Json>
    input: WithDefault<Json>
    output: OrNull<Json>
    error: WithDefault<string>
    rating: WithDefault<string>
    is_featured: WithDefault<boolean>
    events: WithDefault<Json>
    event_seq: WithDefault<number>
    attempt: WithDefault<number>
    engine_id: OrNull<string>
    worker_id: OrNull<string>
    session_id: OrNull<string>
    session_timeout: OrNull<number>
    run_at: OrNull<Timestamp>
    available_at: WithDefault<Timestamp>
    accepted_at: OrNull<Timestamp>
    cancel_deadline: OrNull<Timestamp>
    webhook: WithDefault<string>
    metadata: WithDefault<Json>
    warm_key: WithDefault<string>
    gpu_count: WithDefault<number>
    gpu_type: WithDefault<string>
    gpu_vram: WithDefault<number>
    ram: WithDefault<number>
    run_as: WithDefault<Json>
    graph_id: OrNull<string>
    flow_run_id: OrNull<string>
    flow_node_id: OrNull<string>
    sub_flow_run_id: OrNull<string>
    chat_id: OrNull<string>
    agent_id: OrNull<string>
    agent_version_id: OrNull<string>
    cost: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    finished_at: OrNull<Timestamp>
    deleted_at: OrNull<Timestamp>
    history_swept: WithDefault<boolean>
    queue_kind: OrNull<string>
    traceparent: WithDefault<string>
    priced: WithDefault<boolean>
  }
  team_members: {
    id: string
    team_id: string
    user_id: string
    role: 'owner' | 'admin' | 'member'
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  team_plans: {
    id: string
    team_id: string
    plan_id: string
    expires_at: OrNull<Timestamp>
    created_at: WithDefault<Timestamp>
  }
  teams: {
    id: string
    type: 'personal' | 'team' | 'system' | 'org'
    name: string
    username: string
    email: WithDefault<string>
    avatar_url: WithDefault<string>
    setup_completed: WithDefault<boolean>
    max_concurrency: WithDefault<number>
    status: WithDefault<'active' | 'suspended' | 'terminated'>
    org_id: OrNull<string>
    is_platform: WithDefault<boolean>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    usage_policy_id: OrNull<string>
  }
  tool_invocations: {
    id: string
    team_id: string
    user_id: string
    chat_id: string
    run_id: string
    chat_message_id: string
    call_id: string
    position: number
    type: string
    name: string
    display_name: WithDefault<string>
    arguments: WithDefault<Json>
    status: 'pending' | 'in_progress' | 'awaiting_input' | 'awaiting_approval' | 'completed' | 'failed' | 'cancelled'
    execution_id: OrNull<string>
    result: OrNull<string>
    data: OrNull<Json>
    widget: OrNull<Json>
    token_hash: OrNull<Buffer>
    allowed_by: OrNull<Json>
    used: OrNull<Json>
    explanation: OrNull<Json>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  tool_rules: {
    id: string
    team_id: string
    level: 'chat' | 'agent' | 'remote'
    owner_id: string
    effect: 'allow' | 'ask' | 'deny'
    kind: 'Tool' | 'RemoteExec' | 'MCP'
    selector: string
    specifier: WithDefault<string>
    label: WithDefault<string>
    created_by: string
    created_at: WithDefault<Timestamp>
  }
  transactions: {
    id: string
    team_id: string
    seq: number
    type: 'grant' | 'debit' | 'refund' | 'reversal' | 'charge' | 'release' | 'settlement'
    amount: number
    user_id: string
    reference: WithDefault<string>
    reference_id: WithDefault<string>
    reversal_id: WithDefault<string>
    notes: WithDefault<string>
    created_at: Timestamp
    previous_hash: string
    hash: string
  }
  trigger_fires: {
    id: string
    trigger_id: string
    team_id: string
    status: 'pending' | 'success' | 'error' | 'filtered'
    kind: 'hook' | 'tick' | 'manual'
    payload: OrNull<Json>
    whole_payload: OrNull<Json>
    error: WithDefault<string>
    duration_ms: WithDefault<number>
    chat_id: OrNull<string>
    task_id: OrNull<string>
    flow_run_id: OrNull<string>
    delivery_id: OrNull<string>
    duplicates: WithDefault<number>
    attempts: WithDefault<number>
    available_at: Timestamp
    created_at: Timestamp
    updated_at: Timestamp
    traceparent: WithDefault<string>
  }
  triggers: {
    id: string
    team_id: string
    user_id: string
    visibility: WithDefault<string>
    project_id: OrNull<string>
    name: string
    type: 'cron' | 'webhook' | 'scheduled' | 'manual'
    action: 'run_agent' | 'run_app' | 'run_flow' | 'resolve_interrupt'
    enabled: boolean
    agent_id: OrNull<string>
    app_id: OrNull<string>
    flow_id: OrNull<string>
    interrupt_id: OrNull<string>
    source_key: OrNull<string>
    config: WithDefault<Json>
    input: WithDefault<Json>
    input_mapping: WithDefault<Json>
    filters: WithDefault<Json>
    scheduled_at: OrNull<Timestamp>
    one_shot_done: WithDefault<boolean>
    next_fire_at: OrNull<Timestamp>
    run_as: Json
    revision: WithDefault<number>
    last_fired_at: OrNull<Timestamp>
    fire_count: WithDefault<number>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
  }
  upload_keys: {
    id: string
    key_sealed: Buffer
  }
  usage_policies: {
    id: string
    team_id: string
    apps: OrNull<string[]>
    agents: OrNull<string[]>
    mcps: OrNull<string[]>
    knowledge: OrNull<string[]>
    flows: OrNull<string[]>
    created_at: Timestamp
    updated_at: Timestamp
  }
  users: {
    id: string
    email: OrNull<string>
    mailbox: OrNull<string>
    name: WithDefault<string>
    full_name: WithDefault<string>
    avatar_url: WithDefault<string>
    role: WithDefault<'guest' | 'user' | 'admin' | 'system'>
    service_team_id: OrNull<string>
    default_team_id: OrNull<string>
    metadata: WithDefault<Json>
    totp_secret_sealed: OrNull<Buffer>
    totp_confirmed_at: OrNull<Timestamp>
    totp_last_step: WithDefault<number>
    managed_by_org_id: OrNull<string>
    banned_at: OrNull<Timestamp>
    ban_note: OrNull<string>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    totp_tries: WithDefault<number>
    totp_tries_since: OrNull<Timestamp>
  }
  vault_credentials: {
    vault_id: string
    credential_id: string
    created_at: WithDefault<Timestamp>
  }
  vault_secrets: {
    vault_id: string
    secret_id: string
    created_at: WithDefault<Timestamp>
  }
  vaults: {
    id: string
    team_id: string
    user_id: string
    name: WithDefault<string>
    description: WithDefault<string>
    is_default: WithDefault<boolean>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
  }
  webhook_deliveries: {
    id: string
    team_id: string
    task_id: string
    url: string
    event: string
    body: Json
    status: WithDefault<'pending' | 'delivered' | 'failed' | 'parked'>
    attempts: WithDefault<Json>
    delivered_at: OrNull<Timestamp>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    parked_reason: WithDefault<string>
    next_attempt_at: OrNull<Timestamp>
    round_attempts: WithDefault<number>
  }
  workers: {
    id: string
    engine_id: string
    user_id: string
    team_id: string
    index: number
    status: WithDefault<'reserved' | 'busy' | 'idle' | 'inactive'>
    task_id: OrNull<string>
    app_id: WithDefault<string>
    app_version_id: WithDefault<string>
    active_session_id: OrNull<string>
    gpus: WithDefault<Json>
    cpus: WithDefault<Json>
    rams: WithDefault<Json>
    gpu_count: WithDefault<number>
    gpu_type: WithDefault<string>
    gpu_vram: WithDefault<number>
    ram: WithDefault<number>
    system_info: WithDefault<Json>
    warm_apps: WithDefault<string[]>
    last_seen_at: OrNull<Timestamp>
    idle_since: OrNull<Timestamp>
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
    deleted_at: OrNull<Timestamp>
    warm_team_id: OrNull<string>
  }
}
