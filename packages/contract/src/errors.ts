// The table of all error codes: the `type` that callers see, the status, and whether a retry can help. Nothing else
// maps a failure to a status.

type Row = { readonly status: number; readonly title: string; readonly retryable?: true }

const row = (status: number, title: string): Row => ({ status, title })
const retry = (status: number, title: string): Row => ({ status, title, retryable: true })

export const errorTable = {
  // Access
  unauthorized: row(401, 'Invalid or missing credential'),
  forbidden: row(403, 'Insufficient permissions'),
  permission_denied: row(403, 'You cannot access this resource'),
  team_role_required: row(403, 'Your role in the workspace does not allow this'),
  requires_sign_in: row(403, 'This needs a signed-in person, not a key'),
  insufficient_scope: row(403, 'The credential lacks a scope'),
  blocked_by_usage_policy: row(403, 'Outside the usage policy of the workspace'),
  admin_session_required: row(403, 'Platform administration needs an administrator session'),
  admin_authenticator_required: row(403, 'Platform administration needs an authenticator'),
  otp_required: row(403, 'A one-time code is required'),
  csrf_failed: row(403, 'Cross-site request rejected'),

  // Plans and money
  feature_not_available: row(403, 'The plan lacks this feature'),
  limit_exceeded: row(402, 'A limit of the plan is reached'),
  payment_required: row(402, 'Prepaid credits are insufficient'),
  budget_exceeded: row(402, 'A budget does not cover this'),
  payment_method_required: row(402, 'A saved payment method is required'),
  entitlement_unavailable: retry(500, 'Plan limits could not be verified'),

  // Requests
  not_found: row(404, 'Not found'),
  method_not_allowed: row(405, 'Method not allowed'),
  invalid_request: row(400, 'Malformed request'),
  validation_error: row(400, 'A field is invalid'),
  payload_too_large: row(413, 'The request body is too large'),
  unsupported_media_type: row(415, 'The content type is not supported'),
  conflict: row(409, 'Conflict'),
  already_exists: row(409, 'Already exists'),
  idempotency_conflict: row(409, 'The idempotency key was used with another request'),
  idempotency_in_progress: retry(409, 'The first request with this idempotency key is still running'),
  rate_limited: retry(429, 'Too many requests'),
  internal_error: retry(500, 'Internal error'),
  unavailable: retry(503, 'The service is starting or stopping'),
  storage_full: retry(507, 'The server has no free disk space'),

  // Sign-in
  disposable_email: row(400, 'Disposable e-mail addresses are rejected'),
  invalid_email: row(400, 'The e-mail address is rejected'),
  invalid_token: row(400, 'The link or code is invalid, used or expired'),
  invalid_code: row(400, 'The code is invalid'),
  expired: row(410, 'The code has expired'),
  already_processed: row(409, 'The code was already answered'),
  user_creation_failed: row(500, 'The account could not be created'),
  invite_invalid: row(410, 'The invite is no longer valid'),

  // OAuth routes: sent as `error` (RFC 6749, RFC 8628), not as a problem
  authorization_pending: retry(400, 'The request has not been answered yet'),
  slow_down: retry(400, 'Polled faster than the interval'),
  access_denied: row(400, 'The request was denied'),
  expired_token: row(400, 'The device code has expired or was used'),
  invalid_grant: row(400, 'The code is invalid'),
  invalid_redirect_uri: row(400, 'The redirect URL is not allowed'),
  unsupported_grant_type: row(400, 'The grant type is not supported'),

  // Apps, tasks, sessions
  name_conflict: row(409, 'The name is taken'),
  app_maintenance: retry(503, 'The app is under maintenance'),
  app_retired: row(410, 'The app is retired'),
  requirements_not_met: row(412, 'The app needs secrets or credentials first'),
  session_not_found: row(404, 'App session not found'),
  session_expired: row(410, 'The app session has expired'),
  session_ended: row(410, 'The app session has ended'),
  session_busy: retry(409, 'The app session is busy'),
  worker_lost: retry(500, 'The worker was lost'),
  no_capacity: row(409, 'No engine matches the requirements'),
  invalid_state: row(409, 'The current state does not permit this action'),
  engine_offline: retry(409, 'The engine is offline'),

  // Remotes
  exec_disabled: row(403, 'Commands are disabled on this remote: start its daemon with --exec'),
  agents_disabled: row(403, 'Agents are disabled on this remote: start its daemon with --agents'),
  remote_offline: retry(409, 'The remote is not connected'),

  // Flows and triggers
  flow_action_failed: row(422, 'A graph action failed'),
  fire_error: row(500, 'The trigger could not be fired'),
  trigger_disabled: row(410, 'The trigger is disabled'),

  // Agents
  tool_not_pending: row(409, 'The tool call is not waiting for this answer'),
  interrupt_not_pending: row(409, 'The interrupt was already answered'),
  message_not_queued: row(409, 'The message is no longer queued'),
  chat_archived: row(409, 'The chat was deleted'),
  option_stale: row(409, 'The option is no longer offered'),
  model_failed: row(502, 'The model did not answer'),
  mcp_unreachable: retry(502, 'The MCP server could not be reached'),
  not_always_allowable: row(400, 'There is no always-allow option for this call'),

  // Knowledge, search, artifacts
  precondition_failed: row(412, 'The resource has changed since it was read'),
  version_conflict: row(409, 'A newer version was published'),
  // A failed search answers 500, a failed suggestion 502.
  search_error: retry(500, 'The search failed'),
  search_unavailable: row(503, 'Search is disabled'),

  // Files
  upload_too_large: row(413, 'The upload is larger than allowed'),
  upload_expired: row(403, 'The upload URL has expired'),
} as const satisfies Record<string, Row>

export type ErrorCode = keyof typeof errorTable

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorTable, code)
