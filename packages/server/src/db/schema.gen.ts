// Generated from the migrated database by `npm run generate`. Do not edit.
import type { ColumnType } from 'kysely'

/** RFC 3339 text with microseconds when read; text or a date when written. */
export type Timestamp = ColumnType<string, string | Date, string | Date>
/** A parsed JSON value when read; JSON text when written. */
export type Json = ColumnType<unknown, string, string>
type WithDefault<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>
type OrNull<T> = [T] extends [ColumnType<infer S, infer I, infer U>] ? ColumnType<S | null, I | null | undefined, U | null> : ColumnType<T | null, T | null | undefined, T | null>

export type Database = {
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
  idempotency_keys: {
    owner: string
    key: string
    fingerprint: Buffer
    status: OrNull<number>
    answer_sealed: OrNull<Buffer>
    started_at: WithDefault<Timestamp>
    finished_at: OrNull<Timestamp>
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
  magic_links: {
    id: string
    email: string
    token_hash: Buffer
    code_hash: Buffer
    code_attempts: WithDefault<number>
    redirect_to: OrNull<string>
    created_at: WithDefault<Timestamp>
    expires_at: Timestamp
    code_expires_at: Timestamp
    used_at: OrNull<Timestamp>
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
  rate_windows: {
    team_id: string
    name: string
    window_start: Timestamp
    count: number
  }
  server_state: {
    name: string
    value: Json
    updated_at: WithDefault<Timestamp>
  }
  team_members: {
    id: string
    team_id: string
    user_id: string
    role: 'owner' | 'admin' | 'member'
    created_at: WithDefault<Timestamp>
    updated_at: WithDefault<Timestamp>
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
  }
}
