// The operations that the console calls: the door and the types of each. A name means here what it means everywhere else.
import type * as access from '@millrace/contract/access'
import type { App, AppVersion } from '@millrace/contract/apps'
import type { ListRequest, Page } from '@millrace/contract/common'
import type * as credentials from '@millrace/contract/credentials'
import type * as engines from '@millrace/contract/engines'
import type * as files from '@millrace/contract/files'
import type * as flows from '@millrace/contract/flows'
import type * as identity from '@millrace/contract/identity'
import type * as plans from '@millrace/contract/plans'
import type * as secrets from '@millrace/contract/secrets'
import type * as tasks from '@millrace/contract/tasks'
import type * as teams from '@millrace/contract/teams'
import type * as triggers from '@millrace/contract/triggers'
import type * as vaults from '@millrace/contract/vaults'
import type { Static } from 'typebox'

declare const replyType: unique symbol
declare const bodyType: unique symbol

type Operation<Reply, Body> = { door: string; [replyType]?: Reply; [bodyType]?: Body }

/** `Body` left out: the operation takes none. */
const at = <Reply, Body = undefined>(door: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`) =>
  ({ door }) as Operation<Reply, Body>

type Success = { success: boolean }
export type Engine = Static<typeof engines.Engine>
export type ScopeCatalog = Static<typeof access.ScopeCatalog>
export type TaskLogs = Static<typeof tasks.TaskLogs>
export type WebhookDelivery = Static<typeof tasks.WebhookDelivery>
export type TaskCost = Static<typeof tasks.TaskCost>
type Listed<T> = Page<T>

export const operations = {
  'me.get': at<identity.Me>('GET /me'),
  'me.update': at<teams.User, teams.UpdateMe>('POST /me'),
  'auth.logout': at<Success>('POST /auth/logout'),
  'auth.sessions.list': at<identity.AuthSession[]>('GET /auth/sessions'),
  'auth.sessions.revoke': at<Success>('DELETE /auth/sessions/:id'),
  'auth.sessions.revoke_all': at<unknown>('POST /auth/sessions/revoke-all'),
  'auth.totp.enroll': at<{ secret: string; otpauth_uri: string }>('POST /auth/totp/enroll'),
  'auth.totp.confirm': at<Success, { code: string }>('POST /auth/totp/confirm'),
  'auth.totp.remove': at<Success, { code: string }>('DELETE /auth/totp'),
  'teams.list': at<teams.Team[]>('GET /teams'),
  'teams.create': at<teams.Team, teams.CreateTeam>('POST /teams'),
  'teams.update': at<teams.Team, teams.UpdateTeam>('POST /teams/:id'),
  'teams.set_up': at<teams.Team, { username: string }>('POST /teams/:id/setup'),
  'teams.view': at<teams.TeamView>('GET /teams/:id/view'),
  'teams.check_username': at<{ value: string; available: boolean; reason?: string }>('GET /teams/check-username'),
  'members.list': at<teams.TeamMember[]>('GET /teams/:id/members'),
  'members.set_role': at<teams.TeamMember, { role: 'owner' | 'admin' | 'member' }>(
    'POST /teams/:id/members/:userId/role',
  ),
  'members.remove': at<Success>('DELETE /teams/:id/members/:userId'),
  'team_invites.list': at<teams.Invite[]>('GET /teams/:id/invites'),
  'team_invites.create': at<teams.Invite, { email: string; role: 'owner' | 'admin' | 'member' }>(
    'POST /teams/:id/invites',
  ),
  'team_invites.revoke': at<Success>('DELETE /teams/:id/invites/:inviteId'),
  'scopes.list': at<ScopeCatalog>('GET /scopes'),
  'apikeys.list': at<Listed<access.ApiKey>, ListRequest>('POST /apikeys/list'),
  'apikeys.create': at<access.ApiKey, access.CreateApiKey>('POST /apikeys'),
  'apikeys.rotate': at<access.ApiKey, access.RotateApiKey>('POST /apikeys/:id/rotate'),
  'apikeys.revoke': at<Success>('DELETE /apikeys/:id'),
  'audit.list': at<Listed<access.AuditEntry>, ListRequest>('POST /audit-log/list'),
  'entitlements.usage': at<plans.EntitlementUsage[]>('GET /entitlements/usage'),
  'apps.list': at<Listed<App>, ListRequest>('POST /apps/list'),
  'apps.get': at<App>('GET /apps/:id'),
  'apps.get_by_ref': at<App>('GET /apps/:namespace/:name'),
  'apps.versions': at<Listed<AppVersion>, ListRequest>('POST /apps/:id/versions/list'),
  'apps.promote': at<App>('PUT /apps/:id/versions/:versionId/current'),
  'apps.patch': at<App, { title?: string; description?: string }>('PATCH /apps/:id'),
  'apps.set_visibility': at<App, { visibility: 'private' | 'team' | 'public' }>('POST /apps/:id/visibility'),
  'apps.delete': at<Success>('DELETE /apps/:id'),
  'tasks.run': at<tasks.TaskResult, tasks.RunRequest>('POST /run'),
  'tasks.list': at<Listed<tasks.Task>, ListRequest>('POST /tasks/list'),
  'tasks.get': at<tasks.Task>('GET /tasks/:id'),
  'tasks.stream': at<tasks.Task>('GET /tasks/:id/stream'),
  'tasks.timings': at<tasks.TaskTimings>('GET /tasks/:id/timings'),
  'tasks.files': at<tasks.TaskFile[]>('GET /tasks/:id/files'),
  'tasks.cost': at<TaskCost>('GET /tasks/:id/cost'),
  'tasks.webhooks': at<WebhookDelivery[]>('GET /tasks/:id/webhooks'),
  'tasks.cancel': at<unknown, { force?: boolean }>('POST /tasks/:id/cancel'),
  'tasks.delete': at<Success>('DELETE /tasks/:id'),
  'flows.list': at<Listed<flows.Flow>, ListRequest>('POST /flows/list'),
  'flows.get': at<flows.Flow>('GET /flows/:id'),
  'flows.create': at<flows.Flow, flows.CreateFlow>('POST /flows'),
  'flows.patch': at<flows.Flow, flows.PatchFlow>('PATCH /flows/:id'),
  'flows.act': at<flows.FlowActionsResult, { actions: flows.FlowAction[] }>('POST /flows/:id/actions'),
  'flows.publish': at<flows.Flow>('POST /flows/:id/publish'),
  'flows.versions': at<Listed<flows.FlowVersion>, ListRequest>('POST /flows/:id/versions/list'),
  'flows.duplicate': at<flows.Flow>('POST /flows/:id/duplicate'),
  'flows.delete': at<Success>('DELETE /flows/:id'),
  'flows.deploy': at<App, flows.DeployFlow>('POST /flows/:id/app'),
  'flows.stream': at<flows.Flow>('GET /flows/:id/stream'),
  'flow_runs.create': at<flows.FlowRun, flows.CreateFlowRun>('POST /flowruns'),
  'flow_runs.list': at<Listed<flows.FlowRun>, ListRequest>('POST /flowruns/list'),
  'flow_runs.get': at<flows.FlowRun>('GET /flowruns/:id'),
  'flow_runs.stream': at<flows.FlowRun>('GET /flowruns/:id/stream'),
  'flow_runs.cancel': at<flows.FlowRun>('POST /flowruns/:id/cancel'),
  'flow_runs.rerun': at<flows.FlowRun, flows.RerunFlowRun>('POST /flowruns/:id/rerun'),
  'triggers.list': at<Listed<triggers.Trigger>, ListRequest>('POST /triggers/list'),
  'triggers.get': at<triggers.Trigger>('GET /triggers/:id'),
  'triggers.create': at<triggers.Trigger, triggers.CreateTrigger>('POST /triggers'),
  'triggers.update': at<triggers.Trigger, triggers.UpdateTrigger>('POST /triggers/:id'),
  'triggers.delete': at<Success>('DELETE /triggers/:id'),
  'triggers.fire': at<triggers.TriggerFired, Record<string, unknown>>('POST /triggers/:id/fire'),
  'trigger_fires.list': at<Listed<triggers.TriggerFire>, ListRequest>('POST /trigger-fires/list'),
  'trigger_fires.replay': at<triggers.TriggerFired>('POST /trigger-fires/:id/replay'),
  'trigger_sources.list': at<triggers.TriggerSource[]>('GET /trigger-sources'),
  'secrets.list': at<Listed<secrets.Secret>, ListRequest>('POST /secrets/list'),
  'secrets.create': at<secrets.Secret, secrets.CreateSecret>('POST /secrets'),
  'secrets.update': at<secrets.Secret, secrets.UpdateSecret>('PUT /secrets/:key'),
  'secrets.reveal': at<secrets.RevealedSecret>('GET /secrets/reveal/:key'),
  'secrets.versions': at<secrets.SecretVersion[]>('GET /secrets/:key/versions'),
  'secrets.restore': at<secrets.Secret, secrets.RestoreSecret>('POST /secrets/:key/restore'),
  'secrets.delete': at<Success>('DELETE /secrets/:key'),
  'vaults.list': at<Listed<vaults.Vault>, ListRequest>('POST /vaults/list'),
  'vaults.create': at<vaults.Vault, vaults.CreateVault>('POST /vaults'),
  'vaults.replace': at<vaults.Vault, vaults.ReplaceVault>('PUT /vaults/:id'),
  'vaults.delete': at<Success>('DELETE /vaults/:id'),
  'vaults.secrets': at<secrets.Secret[]>('GET /vaults/:id/secrets'),
  'vaults.add_secret': at<Success, { secret_id: string }>('POST /vaults/:id/secrets'),
  'vaults.remove_secret': at<Success, { secret_id: string }>('DELETE /vaults/:id/secrets'),
  'credentials.configs': at<credentials.ProviderConfig[]>('GET /credentials/configs'),
  'credentials.connect': at<credentials.ConnectAnswer, credentials.ConnectCredential>('POST /credentials'),
  'credentials.set_app': at<credentials.Credential, credentials.SetOauthApp>('PUT /credentials/:provider/app'),
  'credentials.disconnect': at<Success>('DELETE /credentials/:provider'),
  'credentials.check': at<credentials.RequirementsVerdict, credentials.CheckRequirements>('POST /credentials/check'),
  'files.list': at<Listed<files.File>, ListRequest>('POST /files/list'),
  'files.create': at<files.File[], files.CreateFiles>('POST /files'),
  'files.delete': at<Success>('DELETE /files/:id'),
  'engines.list': at<Listed<Engine>, ListRequest>('POST /engines/list'),
  'engines.get': at<Engine>('GET /engines/:id'),
  'engines.stream': at<Engine>('GET /engines/:id/stream'),
  'engines.drain': at<Engine>('POST /engines/:id/drain'),
  'engines.stop': at<Engine>('POST /engines/:id/stop'),
  'engines.restart': at<Engine>('POST /engines/:id/restart'),
  'engines.delete': at<Success>('DELETE /engines/:id'),
  'events.stream': at<unknown>('GET /events'),
}

export type OperationName = keyof typeof operations
export type ReplyOf<N extends OperationName> =
  (typeof operations)[N] extends Operation<infer Reply, unknown> ? Reply : never
export type BodyOf<N extends OperationName> = (typeof operations)[N] extends { [bodyType]?: infer Body } ? Body : never
