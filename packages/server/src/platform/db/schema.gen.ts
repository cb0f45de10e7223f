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
    model_request: OrNull<Json>
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
    last_error: WithDefault<string>
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
    requested_scopes: WithDefault<string[]>
    requested_team: OrNull<string>
    offers_presets: WithDefault<boolean>
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
    planned_workers: OrNull<Json>
    overruled_workers: OrNull<Json>
    named_by_hand: WithDefault<boolean>
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
  flow_run_items: {
    run_id: string
    node_id: string
    item: number
    status: 'running' | 'ready' | 'failed'
    attempt: number
    task_id: OrNull<string>
    value: OrNull<Json>
    deadline_ms: OrNull<number>
    retry_at_ms: OrNull<number>
    error: OrNull<string>
    code: OrNull<string>
  }
  flow_run_loop_chunks: {
    run_id: string
    node_id: string
    first_item: number
    items: Json
  }
  flow_run_loops: {
    run_id: string
    node_id: string
    total: number
    next_item: number
    open: number
    done: number
    failed: number
    input: OrNull<Json>
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
    branch: OrNull<string>
    code: OrNull<string>
    handled: OrNull<boolean>
    waits_for: OrNull<string>
    turn: OrNull<number>
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
    visibility: WithDefault<'private' | 'team' | 'unlisted' | 'public'>
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
    key_id: OrNull<string>
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
  openai_conversations: {
    chat_id: string
    team_id: string
    user_id: string
    run_id: string
    digest: string
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
    heads: OrNull<string>
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
  task_execution_counts: {
    team_id: string
    month: string
    count: number
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
    gpu_memory_peak: OrNull<number>
    flow_item: OrNull<number>
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
    default_visibility: WithDefault<'private' | 'team'>
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
    last_refused_at: OrNull<Timestamp>
    last_refusal: OrNull<string>
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
    oidc_issuer: OrNull<string>
    oidc_subject: OrNull<string>
    recovery_codes: WithDefault<Buffer[]>
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
    shared_gpus: WithDefault<string[]>
    card_vram: WithDefault<number>
    gpu_need: WithDefault<number>
  }
}

/** Every column of every table in this version. */
export const columns: { readonly [T in keyof Database]: readonly (keyof Database[T] & string)[] } = {
  agent_errands: ['id', 'team_id', 'run_id', 'chat_id', 'kind', 'subject_id', 'sent_at', 'available_at', 'created_at', 'server_id'],
  agent_runs: ['id', 'team_id', 'user_id', 'chat_id', 'agent_id', 'agent_version_id', 'user_message_id', 'state', 'error', 'output', 'phase', 'turn', 'lost', 'model_task_id', 'message_id', 'injections', 'tool_invocation_id', 'trigger_id', 'flow_run_id', 'task_id', 'run_as', 'started_by', 'metadata', 'event_seq', 'started_at', 'finished_at', 'created_at', 'updated_at', 'remote_id', 'profile_id', 'traceparent', 'place', 'model_request'],
  agent_sessions: ['team_id', 'session_id', 'user_id', 'agent', 'messages', 'user_turns', 'files_edited', 'tools', 'created_at', 'updated_at'],
  agent_version_secrets: ['id', 'version_id', 'team_id', 'tool', 'value_sealed', 'hint'],
  agent_versions: ['id', 'agent_id', 'team_id', 'user_id', 'name', 'description', 'config', 'content_hash', 'created_at'],
  agents: ['id', 'team_id', 'user_id', 'visibility', 'namespace', 'name', 'title', 'images', 'version_id', 'harness', 'profile_id', 'remote_id', 'project_id', 'created_at', 'updated_at', 'deleted_at'],
  api_key_previous_values: ['token_hash', 'key_id', 'expires_at'],
  api_keys: ['id', 'team_id', 'user_id', 'created_by', 'name', 'scope', 'scopes', 'holds_engine_scopes', 'token_hash', 'last_four', 'source', 'last_used_at', 'expires_at', 'created_at', 'updated_at', 'deleted_at', 'engine_id', 'serves_all'],
  app_aliases: ['id', 'namespace', 'name', 'app_id', 'function', 'url', 'created_at', 'updated_at'],
  app_licenses: ['id', 'app_id', 'user_id', 'license', 'created_at', 'updated_at'],
  app_sessions: ['id', 'team_id', 'user_id', 'visibility', 'engine_id', 'worker_id', 'app_id', 'app_version_id', 'status', 'idle_timeout', 'expires_at', 'ended_at', 'last_call_at', 'task_id', 'call_count', 'created_at', 'updated_at'],
  app_versions: ['id', 'app_id', 'created_by', 'metadata', 'repository', 'checksum', 'kernel', 'setup_schema', 'functions', 'default_function', 'variants', 'env', 'resources', 'required_secrets', 'required_credentials', 'flow_version_id', 'created_at'],
  apps: ['id', 'team_id', 'user_id', 'visibility', 'namespace', 'name', 'title', 'description', 'agent_description', 'category', 'tags', 'images', 'version_id', 'status', 'status_message', 'status_changed_at', 'subcategory', 'is_featured', 'rank', 'delisted', 'created_at', 'updated_at', 'deleted_at', 'pricing', 'submitted_version_id'],
  artifact_versions: ['id', 'artifact_id', 'number', 'content', 'content_hash', 'md5', 'size_bytes', 'label', 'notes', 'origin', 'generated_by', 'capabilities', 'created_by', 'created_at'],
  artifacts: ['id', 'team_id', 'user_id', 'visibility', 'namespace', 'name', 'title', 'description', 'favicon', 'type', 'images', 'version_id', 'shared_version_id', 'views', 'created_at', 'updated_at', 'deleted_at'],
  audit_head: ['only_row', 'seq', 'hash'],
  audit_log: ['seq', 'id', 'created_at', 'team_id', 'actor_user_id', 'actor_kind', 'actor_id', 'action', 'resource_type', 'resource_id', 'meta', 'ip', 'user_agent', 'previous_hash', 'hash'],
  audit_segments: ['to_seq', 'from_seq', 'previous_hash', 'hash', 'first_at', 'last_at', 'seal_sealed', 'closed_at'],
  auth_providers: ['id', 'team_id', 'user_id', 'slug', 'provider', 'display_name', 'icon_url', 'icon_given', 'website', 'description', 'docs_url', 'how_it_works', 'scope', 'connection_scope', 'specs', 'mcp_server_url', 'seeded', 'edited_at', 'created_at', 'updated_at', 'deleted_at'],
  auth_sessions: ['id', 'user_id', 'token_hash', 'kind', 'auth_method', 'team_id', 'scopes', 'elevated', 'csrf_token', 'ip', 'user_agent', 'country_code', 'parent_session_id', 'created_at', 'last_seen_at', 'expires_at', 'revoked_at', 'city', 'region'],
  billing_accounts: ['team_id', 'id', 'balance', 'status', 'seq', 'hash', 'created_at', 'updated_at'],
  budgets: ['id', 'team_id', 'user_id', 'subject_type', 'subject_id', 'period', 'limit', 'enforcement', 'created_at', 'updated_at'],
  bus_letters: ['id', 'body', 'sent_at'],
  chat_messages: ['id', 'chat_id', 'team_id', 'user_id', 'agent_run_id', 'order', 'status', 'role', 'content', 'task_id', 'tools', 'usage', 'event_seq', 'created_at', 'updated_at', 'sent_as'],
  chats: ['id', 'team_id', 'user_id', 'visibility', 'name', 'is_named', 'description', 'parent_id', 'root_id', 'depth', 'agent_id', 'agent_version_id', 'status', 'active_run_id', 'agent_data', 'output', 'context', 'channel_context', 'work_dir', 'harness_session_id', 'forked_from_message_id', 'project_id', 'next_order', 'event_seq', 'run_count', 'created_at', 'updated_at', 'deleted_at', 'remote_id', 'profile_id', 'last_error'],
  clouds: ['key', 'kind', 'name', 'logo_url', 'url', 'token_sealed', 'enabled', 'created_at', 'updated_at'],
  companies: ['slug', 'display_name', 'type', 'website', 'icon_url', 'created_at', 'updated_at'],
  credentials: ['id', 'team_id', 'user_id', 'org_id', 'visibility', 'provider', 'type', 'grant', 'app_credential_id', 'scope', 'status', 'display_name', 'icon_url', 'account_identifier', 'account_name', 'scopes', 'expires_at', 'vault_id', 'metadata', 'is_primary', 'error_message', 'access_token_sealed', 'refresh_token_sealed', 'id_token_sealed', 'created_at', 'updated_at', 'deleted_at', 'token_generation', 'refresh_lease', 'refresh_lease_until'],
  data_keys: ['id', 'team_id', 'master_key_id', 'sealed_key', 'active', 'created_at', 'retired_at'],
  device_authorizations: ['id', 'device_code_hash', 'user_code', 'token_kind', 'status', 'code_challenge', 'claim_code_hash', 'claim_attempts', 'user_id', 'team_id', 'scopes', 'lifetime_seconds', 'client_name', 'ip', 'last_polled_at', 'interval_seconds', 'created_at', 'expires_at', 'approved_at', 'elevated', 'requested_scopes', 'requested_team', 'offers_presets'],
  engines: ['id', 'team_id', 'user_id', 'visibility', 'name', 'api_url', 'status', 'stop_reason', 'engine_version', 'config', 'system_info', 'public_key', 'infra', 'connected', 'replica', 'connection_number', 'disconnected_at', 'last_seen_at', 'event_seq', 'created_at', 'updated_at', 'deleted_at', 'own_drain', 'server_id', 'asked_update', 'planned_workers', 'overruled_workers', 'named_by_hand'],
  entitlements: ['id', 'team_id', 'resource', 'type', 'enabled', 'unlimited', 'limit', 'source', 'enforcement', 'expires_at', 'created_at', 'updated_at'],
  exec_chunks: ['exec_run_id', 'seq', 'stream', 'data', 'starts_at', 'cost_to', 'created_at'],
  exec_inputs: ['exec_run_id', 'seq', 'data', 'eof'],
  exec_runs: ['id', 'team_id', 'user_id', 'owner_id', 'remote_id', 'command', 'args', 'cwd', 'env_names', 'env_sealed', 'pty', 'stdin', 'cols', 'rows', 'timeout_ms', 'status', 'exit_code', 'error', 'timed_out', 'signalled_at', 'started_at', 'ended_at', 'duration_ms', 'requested_by', 'agent_run_id', 'last_seq', 'output_bytes', 'output_cost', 'dropped_bytes', 'dropped_cost', 'dropped_after_seq', 'dropped_to_seq', 'input_seq', 'input_acked', 'created_at', 'updated_at', 'tool_invocation_id', 'told_at'],
  files: ['id', 'team_id', 'user_id', 'visibility', 'category', 'filename', 'content_type', 'path', 'media_key', 'rating', 'size', 'max_bytes', 'upload_expires_at', 'blob_key', 'sha256', 'uploaded_at', 'adopted', 'created_at', 'updated_at'],
  flow_run_events: ['run_id', 'seq', 'events', 'created_at'],
  flow_run_items: ['run_id', 'node_id', 'item', 'status', 'attempt', 'task_id', 'value', 'deadline_ms', 'retry_at_ms', 'error', 'code'],
  flow_run_loop_chunks: ['run_id', 'node_id', 'first_item', 'items'],
  flow_run_loops: ['run_id', 'node_id', 'total', 'next_item', 'open', 'done', 'failed', 'input'],
  flow_run_nodes: ['run_id', 'node_id', 'status', 'attempt', 'task_id', 'output', 'error', 'gate', 'blocked_by', 'deadline_ms', 'retry_at_ms', 'branch', 'code', 'handled', 'waits_for', 'turn'],
  flow_runs: ['id', 'team_id', 'user_id', 'visibility', 'flow_id', 'flow_version_id', 'graph_version', 'task_id', 'status', 'input', 'output', 'error', 'fail_on_error', 'origin_run_id', 'trigger_id', 'run_as', 'metadata', 'event_seq', 'log_length', 'started_at', 'finished_at', 'cancelled_at', 'created_at', 'updated_at', 'nodes', 'root_run_id', 'node_count', 'traceparent'],
  flow_versions: ['id', 'flow_id', 'graph_version', 'graph', 'frozen', 'created_by', 'created_at', 'updated_at'],
  flows: ['id', 'team_id', 'user_id', 'visibility', 'namespace', 'name', 'title', 'description', 'card_image', 'thumbnail', 'banner_image', 'draft_version_id', 'published_version_id', 'app_id', 'history', 'created_at', 'updated_at'],
  guess_windows: ['kind', 'caller', 'window_start', 'misses'],
  harness_sessions: ['chat_id', 'team_id', 'remote_id', 'profile_id', 'harness', 'status', 'attempt', 'work_dir', 'resume_session_id', 'last_seq', 'created_at', 'updated_at'],
  hook_calls: ['id', 'team_id', 'run_id', 'chat_id', 'event', 'position', 'tool_invocation_id', 'status', 'is_waited_for', 'data', 'execution_id', 'created_at'],
  idempotency_keys: ['owner', 'key', 'fingerprint', 'status', 'answer_sealed', 'started_at', 'finished_at'],
  instance_prices: ['gpu_type', 'num_gpus', 'day', 'point'],
  instance_types: ['cloud_key', 'catalog_instance_type', 'position', 'cloud_instance_type', 'deployment_type', 'configuration', 'availability', 'boot_time'],
  instances: ['id', 'engine_id', 'team_id', 'user_id', 'cloud', 'kind', 'host', 'name', 'region', 'catalog_instance_type', 'cloud_instance_type', 'rental_type', 'hourly_price', 'configuration', 'cloud_assigned_id', 'ip', 'ssh_user', 'ssh_port', 'status', 'end_time', 'paid', 'debit_id', 'api_key_sealed', 'launch_until', 'next_look_at', 'failures', 'removals_left', 'interruption_at', 'ended_at', 'created_at', 'updated_at', 'deleted_at', 'payments'],
  interrupts: ['id', 'team_id', 'user_id', 'run_id', 'chat_id', 'reason', 'source', 'resource_id', 'resource_type', 'status', 'resolution', 'resolved_at', 'resolved_by', 'resolved_data', 'expires_at', 'meta', 'created_at', 'updated_at'],
  invites: ['id', 'team_id', 'email', 'mailbox', 'role', 'status', 'token_hash', 'invited_by', 'expires_at', 'created_at', 'updated_at'],
  ip_blocks: ['id', 'network', 'reason', 'created_at'],
  knowledge: ['id', 'team_id', 'user_id', 'visibility', 'namespace', 'name', 'title', 'description', 'type', 'lifecycle', 'version_id', 'content_hash', 'repo_url', 'category', 'parent_id', 'parent_version_id', 'uses', 'installs', 'is_featured', 'rank', 'delisted', 'created_at', 'updated_at', 'deleted_at'],
  knowledge_contents: ['knowledge_id', 'hash', 'content'],
  knowledge_references: ['knowledge_id', 'target_id'],
  knowledge_versions: ['id', 'knowledge_id', 'files', 'content_hash', 'description', 'tags', 'scope', 'metadata', 'origin', 'generated_by', 'source_url', 'mutation_type', 'version_notes', 'skill', 'last_confirmed_at', 'created_by', 'created_at'],
  ledger_closings: ['team_id', 'seq', 'hash', 'balance', 'sums', 'seal_sealed', 'closed_at'],
  ledger_entries: ['transaction_id', 'account', 'owner', 'amount'],
  live_sockets: ['id', 'team_id', 'user_id', 'visibility', 'task_id', 'relay', 'status', 'paired_at', 'ended_at', 'outcome', 'close_code', 'close_reason', 'client_frames', 'client_bytes', 'worker_frames', 'worker_bytes', 'created_at', 'updated_at', 'deleted_at', 'server_id'],
  magic_links: ['id', 'email', 'token_hash', 'code_sealed', 'code_attempts', 'redirect_to', 'created_at', 'expires_at', 'code_expires_at', 'used_at', 'asker'],
  mcp_directory: ['id', 'slug', 'namespace', 'name', 'title', 'description', 'icon_url', 'server_url', 'auth_type', 'default_scopes', 'documentation_url', 'category', 'is_featured', 'rank', 'installs', 'uses', 'created_at', 'updated_at'],
  mcp_servers: ['id', 'team_id', 'user_id', 'visibility', 'namespace', 'slug', 'name', 'title', 'description', 'icon_url', 'server_url', 'auth_type', 'oauth_client_id', 'default_scopes', 'documentation_url', 'provider', 'created_at', 'updated_at'],
  mcp_tools: ['team_id', 'server_url', 'credential_id', 'tools', 'fetched_at'],
  oauth_clients: ['id', 'name', 'client_uri', 'redirect_uris', 'ip', 'created_at', 'used_at'],
  oauth_codes: ['code_hash', 'client_id', 'user_id', 'team_id', 'scopes', 'redirect_uri', 'code_challenge', 'lifetime_seconds', 'created_at', 'expires_at', 'used_at', 'key_id'],
  oauth_states: ['id', 'state_hash', 'team_id', 'user_id', 'credential_id', 'app_credential_id', 'provider', 'scopes', 'redirect_uri', 'code_verifier_sealed', 'created_at', 'expires_at'],
  oidc_attempts: ['state', 'nonce', 'code_verifier', 'redirect_to', 'created_at', 'expires_at'],
  openai_conversations: ['chat_id', 'team_id', 'user_id', 'run_id', 'digest'],
  org_admins: ['org_id', 'user_id', 'created_at'],
  organizations: ['id', 'name', 'created_at', 'updated_at', 'deleted_at'],
  otp_challenges: ['id', 'user_id', 'token_hash', 'auth_method', 'redirect_to', 'attempts', 'created_at', 'expires_at', 'used_at'],
  pages: ['id', 'namespace', 'name', 'title', 'description', 'body', 'published', 'updated_at'],
  plans: ['id', 'name', 'description', 'display_order', 'active', 'self_serve', 'plan_type', 'is_default', 'credits_monthly', 'stackable', 'limits', 'created_at', 'updated_at'],
  projects: ['id', 'team_id', 'user_id', 'visibility', 'name', 'description', 'type', 'color', 'icon', 'parent_id', 'created_at', 'updated_at'],
  rate_windows: ['team_id', 'name', 'window_start', 'count'],
  remote_profiles: ['id', 'remote_id', 'team_id', 'harness_kind', 'name', 'command', 'args', 'status', 'max_concurrent', 'version', 'capabilities', 'created_at', 'updated_at'],
  remotes: ['id', 'team_id', 'user_id', 'visibility', 'name', 'named_by_hand', 'public_key', 'status', 'heartbeat_at', 'disconnected_at', 'connected', 'connection_number', 'system_info', 'remote_version', 'exec_enabled', 'agents_enabled', 'created_at', 'updated_at', 'deleted_at', 'server_id'],
  run_charges: ['task_id', 'team_id', 'app_id', 'author_team_id', 'pricing', 'reserved', 'total', 'created_at', 'settled_at', 'subjects', 'is_open_ended'],
  search_changes: ['number', 'id', 'transaction', 'changed_at'],
  search_conversions: ['impression_id', 'resource_name', 'resource_type', 'created_at'],
  search_documents: ['id', 'source', 'kind', 'team_id', 'user_id', 'visibility', 'listed', 'namespace', 'name', 'title', 'description', 'tags', 'resource_kind', 'origin', 'content_hash', 'confirmed_at', 'scope', 'label', 'words', 'meaning', 'meaning_hash', 'vector_hash', 'updated_at', 'heads'],
  search_impressions: ['id', 'team_id', 'user_id', 'query', 'results', 'created_at'],
  search_vectors: ['id', 'model', 'components'],
  secret_versions: ['id', 'secret_id', 'team_id', 'number', 'value_sealed', 'hint', 'user_id', 'created_at'],
  secrets: ['id', 'team_id', 'user_id', 'key', 'description', 'scope', 'credential_id', 'version', 'created_at', 'updated_at', 'deleted_at'],
  server_state: ['name', 'value', 'updated_at'],
  servers: ['id', 'place', 'address', 'version', 'keeps_files_apart', 'keeps_key_apart', 'bus', 'draining', 'started_at', 'seen_at'],
  spend_totals: ['team_id', 'subject_type', 'subject_id', 'period', 'starts_on', 'spent', 'held'],
  task_execution_counts: ['team_id', 'month', 'count'],
  task_log_chunks: ['task_id', 'log_type', 'seq', 'content', 'created_at'],
  task_telemetry: ['id', 'task_id', 'task_seq', 'app_id', 'app_version_id', 'engine_id', 'worker_id', 'engine_resources', 'system_info', 'created_at'],
  tasks: ['id', 'team_id', 'user_id', 'visibility', 'status', 'app_id', 'app_version_id', 'app_variant', 'function', 'is_stream', 'infra', 'workers', 'setup', 'input', 'output', 'error', 'rating', 'is_featured', 'events', 'event_seq', 'attempt', 'engine_id', 'worker_id', 'session_id', 'session_timeout', 'run_at', 'available_at', 'accepted_at', 'cancel_deadline', 'webhook', 'metadata', 'warm_key', 'gpu_count', 'gpu_type', 'gpu_vram', 'ram', 'run_as', 'graph_id', 'flow_run_id', 'flow_node_id', 'sub_flow_run_id', 'chat_id', 'agent_id', 'agent_version_id', 'cost', 'created_at', 'updated_at', 'finished_at', 'deleted_at', 'history_swept', 'queue_kind', 'traceparent', 'priced', 'gpu_memory_peak', 'flow_item'],
  team_members: ['id', 'team_id', 'user_id', 'role', 'created_at', 'updated_at'],
  team_plans: ['id', 'team_id', 'plan_id', 'expires_at', 'created_at'],
  teams: ['id', 'type', 'name', 'username', 'email', 'avatar_url', 'setup_completed', 'max_concurrency', 'status', 'org_id', 'is_platform', 'created_at', 'updated_at', 'deleted_at', 'usage_policy_id', 'default_visibility'],
  tool_invocations: ['id', 'team_id', 'user_id', 'chat_id', 'run_id', 'chat_message_id', 'call_id', 'position', 'type', 'name', 'display_name', 'arguments', 'status', 'execution_id', 'result', 'data', 'widget', 'token_hash', 'allowed_by', 'used', 'explanation', 'created_at', 'updated_at'],
  tool_rules: ['id', 'team_id', 'level', 'owner_id', 'effect', 'kind', 'selector', 'specifier', 'label', 'created_by', 'created_at'],
  transactions: ['id', 'team_id', 'seq', 'type', 'amount', 'user_id', 'reference', 'reference_id', 'reversal_id', 'notes', 'created_at', 'previous_hash', 'hash'],
  trigger_fires: ['id', 'trigger_id', 'team_id', 'status', 'kind', 'payload', 'whole_payload', 'error', 'duration_ms', 'chat_id', 'task_id', 'flow_run_id', 'delivery_id', 'duplicates', 'attempts', 'available_at', 'created_at', 'updated_at', 'traceparent'],
  triggers: ['id', 'team_id', 'user_id', 'visibility', 'project_id', 'name', 'type', 'action', 'enabled', 'agent_id', 'app_id', 'flow_id', 'interrupt_id', 'source_key', 'config', 'input', 'input_mapping', 'filters', 'scheduled_at', 'one_shot_done', 'next_fire_at', 'run_as', 'revision', 'last_fired_at', 'fire_count', 'created_at', 'updated_at', 'last_refused_at', 'last_refusal'],
  upload_keys: ['id', 'key_sealed'],
  usage_policies: ['id', 'team_id', 'apps', 'agents', 'mcps', 'knowledge', 'flows', 'created_at', 'updated_at'],
  users: ['id', 'email', 'mailbox', 'name', 'full_name', 'avatar_url', 'role', 'service_team_id', 'default_team_id', 'metadata', 'totp_secret_sealed', 'totp_confirmed_at', 'totp_last_step', 'managed_by_org_id', 'banned_at', 'ban_note', 'created_at', 'updated_at', 'deleted_at', 'totp_tries', 'totp_tries_since', 'oidc_issuer', 'oidc_subject', 'recovery_codes'],
  vault_credentials: ['vault_id', 'credential_id', 'created_at'],
  vault_secrets: ['vault_id', 'secret_id', 'created_at'],
  vaults: ['id', 'team_id', 'user_id', 'name', 'description', 'is_default', 'created_at', 'updated_at', 'deleted_at'],
  webhook_deliveries: ['id', 'team_id', 'task_id', 'url', 'event', 'body', 'status', 'attempts', 'delivered_at', 'created_at', 'updated_at', 'parked_reason', 'next_attempt_at', 'round_attempts'],
  workers: ['id', 'engine_id', 'user_id', 'team_id', 'index', 'status', 'task_id', 'app_id', 'app_version_id', 'active_session_id', 'gpus', 'cpus', 'rams', 'gpu_count', 'gpu_type', 'gpu_vram', 'ram', 'system_info', 'warm_apps', 'last_seen_at', 'idle_since', 'created_at', 'updated_at', 'deleted_at', 'warm_team_id', 'shared_gpus', 'card_vram', 'gpu_need'],
}
