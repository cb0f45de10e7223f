// Written by `npm run generate` from the list of operations; do not edit.
import type { Static } from 'typebox'
import type * as a2a from './a2a.ts'
import type * as access from './access.ts'
import type * as agUi from './ag-ui.ts'
import type * as agentCard from './agent-card.ts'
import type * as agents from './agents.ts'
import type * as apps from './apps.ts'
import type * as artifacts from './artifacts.ts'
import type * as authProviders from './auth-providers.ts'
import type * as authority from './authority.ts'
import type * as billing from './billing.ts'
import type * as budgets from './budgets.ts'
import type * as chatAnswers from './chat-answers.ts'
import type * as chatTrace from './chat-trace.ts'
import type * as chats from './chats.ts'
import type * as common from './common.ts'
import type * as connectors from './connectors.ts'
import type * as credentials from './credentials.ts'
import type * as device from './device.ts'
import type * as engineFrames from './engine-frames.ts'
import type * as engines from './engines.ts'
import type * as files from './files.ts'
import type * as flowRuns from './flow-runs.ts'
import type * as flows from './flows.ts'
import type * as harnesses from './harnesses.ts'
import type * as identity from './identity.ts'
import type * as installation from './installation.ts'
import type * as instances from './instances.ts'
import type * as knowledge from './knowledge.ts'
import type * as mcpServers from './mcp-servers.ts'
import type * as oauthApps from './oauth-apps.ts'
import type * as openai from './openai.ts'
import type * as plans from './plans.ts'
import type * as pricing from './pricing.ts'
import type * as projects from './projects.ts'
import type * as remotes from './remotes.ts'
import type * as scopes from './scopes.ts'
import type * as search from './search.ts'
import type * as secrets from './secrets.ts'
import type * as sockets from './sockets.ts'
import type * as suggest from './suggest.ts'
import type * as tasks from './tasks.ts'
import type * as teams from './teams.ts'
import type * as triggers from './triggers.ts'
import type * as vaults from './vaults.ts'

/** Inputs and answers of each operation; for a stream, the data of one event. */
export type Operations = {
  'a2a.call': {
    input: { path: { agentId: string }; body: Static<typeof a2a.JsonRpcCall> }
    reply: Static<typeof a2a.JsonRpcAnswer>
  }
  'ag_ui.run': {
    input: { path: { agentId: string }; body: Static<typeof agUi.RunAgentInput> }
    reply: Static<typeof agUi.AgUiEvent>
  }
  'agent_runs.authority': {
    input: { path: { id: string } }
    reply: Static<typeof authority.Authority>
  }
  'agent_runs.get': {
    input: { path: { id: string } }
    reply: Static<typeof chats.AgentRun>
  }
  'agent_runs.interrupts': {
    input: { path: { id: string } }
    reply: Static<typeof chats.Interrupt>[]
  }
  'agent_runs.stream': {
    input: { path: { id: string }; query?: { last_event_id?: string } }
    reply: Static<typeof chats.AgentRun>
  }
  'agent_sessions.end': {
    input: { body?: Static<typeof search.EndSession> }
    reply: Record<string, unknown>
  }
  'agents.add_rule': {
    input: { path: { id: string }; body: Static<typeof agents.RuleInput> }
    reply: Static<typeof agents.Rule>
  }
  'agents.card': {
    input: { path: { id: string } }
    reply: Static<typeof agentCard.AgentCard>
  }
  'agents.create': {
    input: { body: Static<typeof agents.CreateAgent> }
    reply: Static<typeof agents.Agent>
  }
  'agents.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'agents.delete_rule': {
    input: { path: Static<typeof agents.RulePath> }
    reply: { success: boolean }
  }
  'agents.duplicate': {
    input: { path: { id: string } }
    reply: Static<typeof agents.Agent>
  }
  'agents.get': {
    input: { path: { id: string } }
    reply: Static<typeof agents.Agent>
  }
  'agents.get_by_ref': {
    input: { path: Static<typeof agents.AgentRefPath> }
    reply: Static<typeof agents.Agent>
  }
  'agents.get_version': {
    input: { path: Static<typeof apps.VersionPath> }
    reply: Static<typeof agents.AgentVersion>
  }
  'agents.hook_events': {
    input: Record<never, never>
    reply: Static<typeof agents.HookEvent>[]
  }
  'agents.internal_tools': {
    input: Record<never, never>
    reply: Static<typeof agents.InternalToolCategory>[]
  }
  'agents.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof agents.Agent>>>
  }
  'agents.promote': {
    input: { path: Static<typeof apps.VersionPath> }
    reply: Static<typeof agents.Agent>
  }
  'agents.rules': {
    input: { path: { id: string } }
    reply: Static<typeof agents.Rule>[]
  }
  'agents.run': {
    input: { body: Static<typeof chats.RunAgent> }
    reply: Static<typeof chats.RunAgentReply>
  }
  'agents.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof agents.Agent>
  }
  'agents.transfer': {
    input: { path: { id: string }; body: { team_id: string } }
    reply: Static<typeof agents.Agent>
  }
  'agents.update': {
    input: { path: { id: string }; body?: Static<typeof agents.UpdateAgent> }
    reply: Static<typeof agents.Agent>
  }
  'agents.versions': {
    input: { path: { id: string }; body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof agents.AgentVersion>>>
  }
  'apikeys.create': {
    input: { body: Static<typeof access.CreateApiKey> }
    reply: Static<typeof access.ApiKey>
  }
  'apikeys.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof access.ApiKey>>>
  }
  'apikeys.revoke': {
    input: { path: { id: string } }
    reply: Static<typeof access.ApiKey>
  }
  'apikeys.rotate': {
    input: { path: { id: string }; body?: { grace_seconds?: number } }
    reply: Static<typeof access.ApiKey>
  }
  'apps.accept_license': {
    input: { path: { id: string }; body: { license: string } }
    reply: Static<typeof apps.License>
  }
  'apps.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'apps.deploy': {
    input: { body: Static<typeof apps.DeployApp> }
    reply: Static<typeof apps.App>
  }
  'apps.duplicate': {
    input: { path: { id: string } }
    reply: Static<typeof apps.App>
  }
  'apps.get': {
    input: { path: { id: string } }
    reply: Static<typeof apps.App>
  }
  'apps.get_by_ref': {
    input: { path: Static<typeof apps.AppRefPath> }
    reply: Static<typeof apps.App>
  }
  'apps.license': {
    input: { path: { id: string } }
    reply: Static<typeof apps.License>
  }
  'apps.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof apps.App>>>
  }
  'apps.patch': {
    input: { path: { id: string }; body?: Static<typeof apps.UpdateApp> }
    reply: Static<typeof apps.App>
  }
  'apps.promote': {
    input: { path: Static<typeof apps.VersionPath> }
    reply: Static<typeof apps.App>
  }
  'apps.replace': {
    input: { path: { id: string }; body?: Static<typeof apps.UpdateApp> }
    reply: Static<typeof apps.App>
  }
  'apps.set_status': {
    input: { path: { id: string }; body: Static<typeof apps.SetAppStatus> }
    reply: Static<typeof apps.App>
  }
  'apps.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "public" } }
    reply: Static<typeof apps.App>
  }
  'apps.transfer': {
    input: { path: { id: string }; body: { team_id: string } }
    reply: Static<typeof apps.App>
  }
  'apps.version': {
    input: { path: Static<typeof apps.VersionPath> }
    reply: Static<typeof apps.AppVersion>
  }
  'apps.versions': {
    input: { path: { id: string }; body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof apps.AppVersion>>>
  }
  'artifacts.content': {
    input: { path: { id: string } }
    reply: Static<typeof artifacts.ArtifactContent>
  }
  'artifacts.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'artifacts.get': {
    input: { path: { id: string } }
    reply: Static<typeof artifacts.Artifact>
  }
  'artifacts.get_by_ref': {
    input: { path: Static<typeof agents.AgentRefPath> }
    reply: Static<typeof artifacts.Artifact>
  }
  'artifacts.get_version': {
    input: { path: Static<typeof apps.VersionPath> }
    reply: Static<typeof artifacts.ArtifactVersion>
  }
  'artifacts.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof artifacts.Artifact>>>
  }
  'artifacts.publish': {
    input: { body: Static<typeof artifacts.PublishArtifact> }
    reply: Static<typeof artifacts.Artifact>
  }
  'artifacts.publish_version': {
    input: { path: { id: string }; body: Static<typeof artifacts.PublishVersion> }
    reply: Static<typeof artifacts.Artifact>
  }
  'artifacts.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof artifacts.Artifact>
  }
  'artifacts.transfer': {
    input: { path: { id: string }; body: { team_id: string } }
    reply: Static<typeof artifacts.Artifact>
  }
  'artifacts.update': {
    input: { path: { id: string }; body?: Static<typeof artifacts.UpdateArtifact> }
    reply: Static<typeof artifacts.Artifact>
  }
  'artifacts.version_content': {
    input: { path: Static<typeof apps.VersionPath> }
    reply: Static<typeof artifacts.ArtifactContent>
  }
  'artifacts.versions': {
    input: { path: { id: string }; body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof artifacts.ArtifactVersion>>>
  }
  'audit.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof access.AuditEntry>>>
  }
  'audit.verify': {
    input: Record<never, never>
    reply: Static<typeof access.AuditCheck>
  }
  'auth.link.send': {
    input: { body: Static<typeof identity.SendLink> }
    reply: { sent: boolean }
  }
  'auth.link.verify': {
    input: { body?: Static<typeof identity.VerifyLink> }
    reply: Static<typeof identity.AuthResponse>
  }
  'auth.logout': {
    input: Record<never, never>
    reply: { success: boolean }
  }
  'auth.me': {
    input: Record<never, never>
    reply: Static<typeof identity.Me>
  }
  'auth.oidc.callback': {
    input: { query?: Static<typeof identity.OidcCallbackQuery> }
    reply: Record<string, unknown>
  }
  'auth.oidc.start': {
    input: { query?: { redirect_to?: string } }
    reply: Record<string, unknown>
  }
  'auth.otp.verify': {
    input: { body: Static<typeof identity.VerifyOtp> }
    reply: Static<typeof identity.AuthResponse>
  }
  'auth.sessions.list': {
    input: Record<never, never>
    reply: Static<typeof identity.AuthSession>[]
  }
  'auth.sessions.revoke': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'auth.sessions.revoke_all': {
    input: Record<never, never>
    reply: { success: boolean }
  }
  'auth.sessions.token': {
    input: { body?: Static<typeof identity.CreateSessionToken> }
    reply: Static<typeof identity.SessionToken>
  }
  'auth.totp.confirm': {
    input: { body: { code: string } }
    reply: Static<typeof identity.TotpConfirmed>
  }
  'auth.totp.enroll': {
    input: Record<never, never>
    reply: Static<typeof identity.TotpEnrolment>
  }
  'auth.totp.recovery_codes': {
    input: { body: { code: string } }
    reply: { recovery_codes: string[] }
  }
  'auth.totp.remove': {
    input: { body: { code: string } }
    reply: { success: boolean }
  }
  'auth_providers.create': {
    input: { body: Static<typeof authProviders.CreateAuthProvider> }
    reply: Static<typeof authProviders.AuthProvider>
  }
  'auth_providers.delete': {
    input: { path: { id: string } }
    reply: { deleted: boolean }
  }
  'auth_providers.get': {
    input: { path: { id: string } }
    reply: Static<typeof authProviders.AuthProvider>
  }
  'auth_providers.hooks': {
    input: Record<never, never>
    reply: Static<typeof authProviders.AuthHooks>
  }
  'auth_providers.list': {
    input: { query?: { scope?: "" | "team" | "platform" } }
    reply: Static<typeof authProviders.AuthProvider>[]
  }
  'auth_providers.update': {
    input: { path: { id: string }; body?: Static<typeof authProviders.UpdateAuthProvider> }
    reply: Static<typeof authProviders.AuthProvider>
  }
  'billing.get': {
    input: Record<never, never>
    reply: Static<typeof billing.Billing>
  }
  'billing.grant': {
    input: { body: Static<typeof billing.GrantCredits> }
    reply: Static<typeof billing.Transaction>
  }
  'billing.resources': {
    input: { query?: Static<typeof billing.UsageQuery> }
    reply: Static<typeof billing.Metering>
  }
  'billing.status': {
    input: { body: Static<typeof billing.SetBillingStatus> }
    reply: Static<typeof billing.Billing>
  }
  'billing.summary': {
    input: { query?: Static<typeof billing.UsageQuery> }
    reply: Static<typeof billing.UsageSummary>
  }
  'billing.transactions': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof billing.Transaction>>>
  }
  'billing.usage': {
    input: { query?: Static<typeof billing.UsageQuery> }
    reply: Static<typeof billing.Usage>
  }
  'budgets.create': {
    input: { body: Static<typeof budgets.CreateBudget> }
    reply: Static<typeof budgets.Budget>
  }
  'budgets.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'budgets.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof budgets.Budget>>>
  }
  'budgets.update': {
    input: { path: { id: string }; body?: Static<typeof budgets.UpdateBudget> }
    reply: Static<typeof budgets.Budget>
  }
  'chat_messages.cancel': {
    input: { path: { id: string } }
    reply: Static<typeof chats.ChatMessage>
  }
  'chat_messages.stream': {
    input: { path: { id: string }; query?: { last_event_id?: string } }
    reply: Static<typeof chats.ChatMessage>
  }
  'chats.add_rule': {
    input: { path: { id: string }; body: Static<typeof agents.RuleInput> }
    reply: Static<typeof agents.Rule>
  }
  'chats.create': {
    input: { body?: Static<typeof chats.CreateChat> }
    reply: Static<typeof chats.Chat>
  }
  'chats.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'chats.delete_rule': {
    input: { path: Static<typeof agents.RulePath> }
    reply: { success: boolean }
  }
  'chats.fork': {
    input: { path: { id: string }; body: { message_id: string } }
    reply: Static<typeof chats.Chat>
  }
  'chats.get': {
    input: { path: { id: string } }
    reply: Static<typeof chats.Chat>
  }
  'chats.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof chats.Chat>>>
  }
  'chats.messages': {
    input: { path: { id: string }; body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof chats.ChatMessage>>>
  }
  'chats.rules': {
    input: { path: { id: string } }
    reply: Static<typeof agents.Rule>[]
  }
  'chats.send': {
    input: { path: { id: string }; body?: Static<typeof chats.SendMessage> }
    reply: Static<typeof chats.ChatMessage>
  }
  'chats.set_agent': {
    input: { path: { id: string }; body: { agent: string } }
    reply: Static<typeof chats.Chat>
  }
  'chats.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "public" } }
    reply: Static<typeof chats.Chat>
  }
  'chats.settings': {
    input: { path: { id: string }; body?: Static<typeof chats.ChatSettings> }
    reply: Static<typeof chats.ChatSettingsReply>
  }
  'chats.status': {
    input: { path: { id: string } }
    reply: Static<typeof chats.ChatStatusReply>
  }
  'chats.stop': {
    input: { path: { id: string } }
    reply: Static<typeof chats.Chat>
  }
  'chats.stream': {
    input: { path: { id: string } }
    reply: Static<typeof chats.Chat>
  }
  'chats.trace': {
    input: { path: { id: string } }
    reply: Static<typeof chatTrace.ChatTrace>
  }
  'chats.update': {
    input: { path: { id: string }; body?: Static<typeof chats.UpdateChat> }
    reply: Static<typeof chats.Chat>
  }
  'clouds.delete': {
    input: { path: { key: string }; query?: { abandon?: boolean } }
    reply: { success: boolean }
  }
  'clouds.list': {
    input: Record<never, never>
    reply: Static<typeof instances.Cloud>[]
  }
  'clouds.refresh': {
    input: { path: { key: string } }
    reply: Static<typeof instances.InstanceType>[]
  }
  'clouds.set': {
    input: { path: { key: string }; body: Static<typeof instances.SetCloud> }
    reply: Static<typeof instances.Cloud>
  }
  'clouds.set_types': {
    input: { path: { key: string }; body: { types: Static<typeof instances.Offer>[] } }
    reply: Static<typeof instances.InstanceType>[]
  }
  'connectors.complete': {
    input: { body: Static<typeof connectors.CompleteConnector> }
    reply: Static<typeof connectors.Connector>
  }
  'connectors.create': {
    input: { body?: Static<typeof connectors.CreateConnector> }
    reply: Static<typeof connectors.Connector>
  }
  'credentials.add_scopes': {
    input: { path: { provider: string }; body: { scopes: string[] } }
    reply: Static<typeof credentials.ConnectAnswer>
  }
  'credentials.available': {
    input: Record<never, never>
    reply: Static<typeof credentials.ProviderConfig>[]
  }
  'credentials.capabilities': {
    input: Record<never, never>
    reply: { capabilities: ({ key: string; provider: string; type: "oauth" | "api_key" | "mcp" | "service_account" | "wif"; scopes?: string[]; satisfies?: string[]; display_name: string; description?: string; available: boolean })[] }
  }
  'credentials.check': {
    input: { body?: Static<typeof credentials.CheckRequirements> }
    reply: Static<typeof credentials.RequirementsVerdict>
  }
  'credentials.complete_oauth': {
    input: { body: Static<typeof credentials.CompleteOauth> }
    reply: Static<typeof credentials.ConnectAnswer>
  }
  'credentials.configs': {
    input: Record<never, never>
    reply: Static<typeof credentials.ProviderConfig>[]
  }
  'credentials.connect': {
    input: { body: Static<typeof credentials.ConnectCredential> }
    reply: Static<typeof credentials.ConnectAnswer>
  }
  'credentials.disconnect': {
    input: { path: { provider: string } }
    reply: { success: boolean }
  }
  'credentials.get': {
    input: { path: { provider: string } }
    reply: Static<typeof credentials.Credential>
  }
  'credentials.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof credentials.Credential>>>
  }
  'credentials.set_app': {
    input: { path: { provider: string }; body: Static<typeof credentials.SetOauthApp> }
    reply: Static<typeof credentials.Credential>
  }
  'dev.mail': {
    input: Record<never, never>
    reply: { to: string; subject: string; text: string; sent_at: string }[]
  }
  'device.approve': {
    input: { body: Static<typeof device.ApproveDevice> }
    reply: Static<typeof device.DeviceAnswer>
  }
  'device.claim': {
    input: { body: Static<typeof device.ClaimDevice> }
    reply: Static<typeof device.DeviceCredential>
  }
  'device.deny': {
    input: { body: { code: string } }
    reply: Static<typeof device.DeviceAnswer>
  }
  'device.look_up': {
    input: { path: { code: string } }
    reply: Static<typeof device.UserCodeState>
  }
  'device.poll': {
    input: { path: { device_code: string } }
    reply: Static<typeof device.DevicePoll>
  }
  'device.start': {
    input: { body?: Static<typeof device.StartDevice> }
    reply: Static<typeof device.DeviceAuthorization>
  }
  'engines.create': {
    input: { body: Static<typeof engines.CreateEngine> }
    reply: Static<typeof engines.Engine>
  }
  'engines.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'engines.drain': {
    input: { path: { id: string } }
    reply: Static<typeof engines.Engine>
  }
  'engines.extend': {
    input: { path: { id: string }; body?: Static<typeof engines.ExtendEngine> }
    reply: Static<typeof engines.Engine>
  }
  'engines.get': {
    input: { path: { id: string } }
    reply: Static<typeof engines.Engine>
  }
  'engines.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof engines.Engine>>>
  }
  'engines.match': {
    input: { body?: Static<typeof engines.MatchResources> }
    reply: Static<typeof engines.ResourceMatch>
  }
  'engines.register': {
    input: { body: Static<typeof engineFrames.RegisterRequest> }
    reply: Static<typeof engineFrames.RegisterResponse>
  }
  'engines.restart': {
    input: { path: { id: string } }
    reply: Static<typeof engines.Engine>
  }
  'engines.stop': {
    input: { path: { id: string } }
    reply: Static<typeof engines.Engine>
  }
  'engines.stream': {
    input: { path: { id: string }; query?: { last_event_id?: string } }
    reply: Static<typeof engines.Engine>
  }
  'engines.transfer': {
    input: { path: { id: string }; body: { team_id: string } }
    reply: Static<typeof engines.Engine>
  }
  'engines.types': {
    input: Record<never, never>
    reply: Static<typeof instances.EngineType>[]
  }
  'engines.update': {
    input: { path: { id: string }; body?: Static<typeof engines.UpdateEngine> }
    reply: Static<typeof engines.Engine>
  }
  'engines.upgrade': {
    input: { path: { id: string }; body?: { version?: string } }
    reply: Static<typeof engines.Engine>
  }
  'engines.visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof engines.Engine>
  }
  'entitlements.list': {
    input: Record<never, never>
    reply: Static<typeof plans.Entitlement>[]
  }
  'entitlements.usage': {
    input: Record<never, never>
    reply: Static<typeof plans.EntitlementUsage>[]
  }
  'events.stream': {
    input: Record<never, never>
    reply: unknown
  }
  'execs.get': {
    input: { path: { id: string } }
    reply: Static<typeof remotes.ExecRun>
  }
  'execs.input': {
    input: { path: { id: string }; body?: Static<typeof remotes.ExecInput> }
    reply: { ok: boolean }
  }
  'execs.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof remotes.ExecRun>>>
  }
  'execs.output': {
    input: { path: { id: string }; query?: Static<typeof remotes.ExecOutputQuery> }
    reply: Static<typeof remotes.ExecChunk>[]
  }
  'execs.resize': {
    input: { path: { id: string }; body: Static<typeof remotes.ExecResize> }
    reply: { ok: boolean }
  }
  'execs.signal': {
    input: { path: { id: string } }
    reply: { ok: boolean }
  }
  'execs.start': {
    input: { path: { id: string }; body?: Static<typeof remotes.ExecBody> }
    reply: Static<typeof remotes.ExecRun>
  }
  'files.create': {
    input: { body: Static<typeof files.CreateFiles> }
    reply: Static<typeof files.File>[]
  }
  'files.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'files.get': {
    input: { path: { id: string } }
    reply: Static<typeof files.File>
  }
  'files.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof files.File>>>
  }
  'files.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof files.File>
  }
  'flow_runs.authority': {
    input: { path: { id: string } }
    reply: Static<typeof authority.Authority>
  }
  'flow_runs.cancel': {
    input: { path: { id: string } }
    reply: Static<typeof flowRuns.FlowRun>
  }
  'flow_runs.clone': {
    input: { path: { id: string } }
    reply: Static<typeof flows.Flow>
  }
  'flow_runs.create': {
    input: { body: Static<typeof flowRuns.CreateFlowRun> }
    reply: Static<typeof flowRuns.FlowRun>
  }
  'flow_runs.events': {
    input: { path: { id: string }; query?: Static<typeof flowRuns.FlowRunEventsQuery> }
    reply: Static<typeof flowRuns.FlowRunEventRow>[]
  }
  'flow_runs.get': {
    input: { path: { id: string } }
    reply: Static<typeof flowRuns.FlowRun>
  }
  'flow_runs.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof flowRuns.FlowRun>>>
  }
  'flow_runs.patch': {
    input: { path: { id: string }; body?: { metadata?: Record<string, unknown> } }
    reply: Static<typeof flowRuns.FlowRun>
  }
  'flow_runs.replay': {
    input: { path: { id: string }; body?: { version_id?: string } }
    reply: Static<typeof flowRuns.FlowRunReplay>
  }
  'flow_runs.rerun': {
    input: { path: { id: string }; body?: { node_id?: string } }
    reply: Static<typeof flowRuns.FlowRun>
  }
  'flow_runs.resume': {
    input: { path: { id: string }; query: Static<typeof flowRuns.ResumeQuery>; body?: Record<string, unknown> }
    reply: { success: boolean }
  }
  'flow_runs.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof flowRuns.FlowRun>
  }
  'flow_runs.stream': {
    input: { path: { id: string }; query?: { last_event_id?: string } }
    reply: Static<typeof flowRuns.FlowRun>
  }
  'flow_runs.stream_tasks': {
    input: { path: { id: string }; query?: { last_event_id?: string } }
    reply: Static<typeof tasks.Task>
  }
  'flows.act': {
    input: { path: { id: string }; body: { actions: Static<typeof flows.FlowAction>[] } }
    reply: Static<typeof flows.FlowActionsResult>
  }
  'flows.create': {
    input: { body?: Static<typeof flows.CreateFlow> }
    reply: Static<typeof flows.Flow>
  }
  'flows.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'flows.deploy': {
    input: { path: { id: string }; body?: Static<typeof flows.DeployFlow> }
    reply: Static<typeof apps.App>
  }
  'flows.duplicate': {
    input: { path: { id: string } }
    reply: Static<typeof flows.Flow>
  }
  'flows.evaluate': {
    input: { body: Static<typeof flows.EvaluateExpression> }
    reply: Static<typeof flows.Evaluated>
  }
  'flows.get': {
    input: { path: { id: string } }
    reply: Static<typeof flows.Flow>
  }
  'flows.get_by_ref': {
    input: { path: Static<typeof flows.FlowRefPath> }
    reply: Static<typeof flows.Flow>
  }
  'flows.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof flows.Flow>>>
  }
  'flows.patch': {
    input: { path: { id: string }; body?: Static<typeof flows.PatchFlow> }
    reply: Static<typeof flows.Flow>
  }
  'flows.publish': {
    input: { path: { id: string } }
    reply: Static<typeof flows.Flow>
  }
  'flows.replace': {
    input: { path: { id: string }; body?: Static<typeof flows.ReplaceFlow> }
    reply: Static<typeof flows.Flow>
  }
  'flows.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "public" | "unlisted" } }
    reply: Static<typeof flows.Flow>
  }
  'flows.stream': {
    input: { path: { id: string } }
    reply: Static<typeof flows.Flow>
  }
  'flows.transfer': {
    input: { path: { id: string }; body: { team_id: string } }
    reply: Static<typeof flows.Flow>
  }
  'flows.versions': {
    input: { path: { id: string }; body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof flows.FlowVersion>>>
  }
  'health.get': {
    input: Record<never, never>
    reply: Static<typeof installation.Health>
  }
  'instances.price_history': {
    input: { query: Static<typeof instances.PriceHistoryQuery> }
    reply: Static<typeof instances.PricePoint>[]
  }
  'instances.types': {
    input: { query?: Static<typeof instances.InstanceTypeQuery> }
    reply: Static<typeof instances.InstanceType>[]
  }
  'interrupts.get': {
    input: { path: { id: string } }
    reply: Static<typeof chats.Interrupt>
  }
  'interrupts.resolve': {
    input: { path: { id: string }; body?: Static<typeof chatAnswers.ResolveInterrupt> }
    reply: Static<typeof chats.Interrupt>
  }
  'invites.accept': {
    input: { path: { id: string }; body?: { token?: string } }
    reply: Static<typeof teams.TeamMember>
  }
  'invites.decline': {
    input: { path: { id: string }; body?: { token?: string } }
    reply: Static<typeof teams.Invite>
  }
  'invites.info': {
    input: { query: { token: string } }
    reply: Static<typeof teams.InviteInfo>
  }
  'invites.list': {
    input: Record<never, never>
    reply: Static<typeof teams.Invite>[]
  }
  'ip_blocks.create': {
    input: { body: Static<typeof installation.CreateIpBlock> }
    reply: Static<typeof installation.IpBlock>
  }
  'ip_blocks.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'ip_blocks.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof installation.IpBlock>>>
  }
  'knowledge.confirm': {
    input: { path: { id: string } }
    reply: Static<typeof knowledge.Knowledge>
  }
  'knowledge.create': {
    input: { body: Static<typeof knowledge.CreateKnowledge> }
    reply: Static<typeof knowledge.Knowledge>
  }
  'knowledge.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'knowledge.duplicate': {
    input: { path: { id: string } }
    reply: Static<typeof knowledge.Knowledge>
  }
  'knowledge.get': {
    input: { path: { id: string }; query?: { include?: string } }
    reply: Static<typeof knowledge.Knowledge>
  }
  'knowledge.get_by_ref': {
    input: { path: Static<typeof agents.AgentRefPath>; query?: { include?: string } }
    reply: Static<typeof knowledge.Knowledge>
  }
  'knowledge.get_version': {
    input: { path: Static<typeof apps.VersionPath> }
    reply: Static<typeof knowledge.KnowledgeVersion>
  }
  'knowledge.get_version_by_ref': {
    input: { path: Static<typeof knowledge.KnowledgeRefVersionPath> }
    reply: Static<typeof knowledge.KnowledgeVersion>
  }
  'knowledge.lineage': {
    input: { path: { id: string } }
    reply: Static<typeof knowledge.Lineage>
  }
  'knowledge.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof knowledge.Knowledge>>>
  }
  'knowledge.references': {
    input: { path: { id: string } }
    reply: Static<typeof knowledge.References>
  }
  'knowledge.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof knowledge.Knowledge>
  }
  'knowledge.transfer': {
    input: { path: { id: string }; body: { team_id: string } }
    reply: Static<typeof knowledge.Knowledge>
  }
  'knowledge.update': {
    input: { path: { id: string }; body?: Static<typeof knowledge.UpdateKnowledge> }
    reply: Static<typeof knowledge.Knowledge>
  }
  'knowledge.versions': {
    input: { path: { id: string }; body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof knowledge.KnowledgeVersion>>>
  }
  'mcp_servers.create': {
    input: { body: Static<typeof mcpServers.CreateMcpServer> }
    reply: Static<typeof mcpServers.McpServer>
  }
  'mcp_servers.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'mcp_servers.get': {
    input: { path: { id: string } }
    reply: Static<typeof mcpServers.McpServer>
  }
  'mcp_servers.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof mcpServers.McpServer>>>
  }
  'mcp_servers.update': {
    input: { path: { id: string }; body?: Static<typeof mcpServers.UpdateMcpServer> }
    reply: Static<typeof mcpServers.McpServer>
  }
  'mcps.call_tool': {
    input: { path: Static<typeof mcpServers.McpToolPath>; body?: Record<string, unknown> }
    reply: Static<typeof mcpServers.McpCallResult>
  }
  'mcps.get': {
    input: { path: { slug: string } }
    reply: Static<typeof mcpServers.McpServerOrListing>
  }
  'mcps.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof mcpServers.McpListing>>>
  }
  'mcps.tools': {
    input: { path: { slug: string } }
    reply: Static<typeof mcpServers.McpTool>[]
  }
  'me.get': {
    input: Record<never, never>
    reply: Static<typeof identity.Me>
  }
  'me.stats': {
    input: Record<never, never>
    reply: Static<typeof teams.MyStats>
  }
  'me.update': {
    input: { body?: Static<typeof teams.UpdateMe> }
    reply: Static<typeof teams.User>
  }
  'members.add': {
    input: { path: { id: string }; body: Static<typeof teams.AddMember> }
    reply: Static<typeof teams.TeamMember>
  }
  'members.list': {
    input: { path: { id: string } }
    reply: Static<typeof teams.TeamMember>[]
  }
  'members.remove': {
    input: { path: Static<typeof teams.MemberPath> }
    reply: { success: boolean }
  }
  'members.set_role': {
    input: { path: Static<typeof teams.MemberPath>; body: { role: "owner" | "admin" | "member" } }
    reply: Static<typeof teams.TeamMember>
  }
  'oauth.client_metadata': {
    input: { path: { slug: string } }
    reply: Static<typeof authProviders.ClientMetadata>
  }
  'oauth.device_authorization': {
    input: { body?: { scope?: string } }
    reply: Static<typeof device.OauthDeviceAuthorization>
  }
  'oauth.metadata': {
    input: Record<never, never>
    reply: Static<typeof device.OauthMetadata>
  }
  'oauth.protected_resource': {
    input: Record<never, never>
    reply: { resource: string; authorization_servers: string[]; bearer_methods_supported: string[]; resource_name: string; resource_documentation: string }
  }
  'oauth.register': {
    input: { body: Static<typeof oauthApps.RegisterOauthClient> }
    reply: Static<typeof oauthApps.OauthClient>
  }
  'oauth.revoke': {
    input: { body: { token: string } }
    reply: Record<string, unknown>
  }
  'oauth.token': {
    input: { body: Static<typeof device.OauthTokenRequest> }
    reply: Static<typeof device.OauthToken>
  }
  'openai.cancel_response': {
    input: { path: { id: string } }
    reply: Static<typeof openai.OpenAiResponse>
  }
  'openai.chat_completion': {
    input: { body: Static<typeof openai.CreateChatCompletion> }
    reply: Static<typeof openai.ChatCompletion>
  }
  'openai.create_file': {
    input: { body: Uint8Array }
    reply: Static<typeof openai.OpenAiFile>
  }
  'openai.create_response': {
    input: { body: Static<typeof openai.CreateResponse> }
    reply: Static<typeof openai.OpenAiResponse>
  }
  'openai.delete_file': {
    input: { path: { id: string } }
    reply: Static<typeof openai.OpenAiDeleted>
  }
  'openai.delete_response': {
    input: { path: { id: string } }
    reply: Static<typeof openai.OpenAiDeleted>
  }
  'openai.embeddings': {
    input: { body: Static<typeof openai.CreateEmbeddings> }
    reply: Static<typeof openai.Embeddings>
  }
  'openai.file': {
    input: { path: { id: string } }
    reply: Static<typeof openai.OpenAiFile>
  }
  'openai.file_content': {
    input: { path: { id: string } }
    reply: null
  }
  'openai.files': {
    input: { query?: { limit?: number; after?: string } }
    reply: Static<typeof openai.OpenAiFiles>
  }
  'openai.model': {
    input: { path: { id: string } }
    reply: Static<typeof openai.OpenAiModel>
  }
  'openai.model_by_ref': {
    input: { path: Static<typeof flows.FlowRefPath> }
    reply: Static<typeof openai.OpenAiModel>
  }
  'openai.models': {
    input: Record<never, never>
    reply: Static<typeof openai.OpenAiModels>
  }
  'openai.response': {
    input: { path: { id: string } }
    reply: Static<typeof openai.OpenAiResponse>
  }
  'organizations.add_admin': {
    input: { path: { id: string }; body: { email: string } }
    reply: Static<typeof teams.OrganizationAdmin>
  }
  'organizations.attach_team': {
    input: { path: { id: string }; body: { team_id: string } }
    reply: Static<typeof teams.Team>
  }
  'organizations.create': {
    input: { body: Static<typeof teams.CreateOrganization> }
    reply: Static<typeof teams.Organization>
  }
  'organizations.detach_team': {
    input: { path: Static<typeof teams.OrganizationTeamPath> }
    reply: Static<typeof teams.Team>
  }
  'organizations.get': {
    input: { path: { id: string } }
    reply: Static<typeof teams.Organization>
  }
  'organizations.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: Static<typeof teams.OrganizationPage>
  }
  'organizations.list_admins': {
    input: { path: { id: string } }
    reply: Static<typeof teams.OrganizationAdmin>[]
  }
  'organizations.list_teams': {
    input: { path: { id: string } }
    reply: Static<typeof teams.Team>[]
  }
  'organizations.remove_admin': {
    input: { path: Static<typeof teams.MemberPath> }
    reply: { success: boolean }
  }
  'plans.delete': {
    input: { path: { name: string } }
    reply: { success: boolean }
  }
  'plans.list': {
    input: Record<never, never>
    reply: Static<typeof plans.Plan>[]
  }
  'plans.set': {
    input: { path: { name: string }; body: Static<typeof plans.SetPlan> }
    reply: Static<typeof plans.Plan>
  }
  'projects.create': {
    input: { body: Static<typeof projects.CreateProject> }
    reply: Static<typeof projects.Project>
  }
  'projects.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'projects.get': {
    input: { path: { id: string } }
    reply: Static<typeof projects.Project>
  }
  'projects.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof projects.Project>>>
  }
  'projects.move': {
    input: { body: Static<typeof projects.MoveToProject> }
    reply: Record<string, unknown>
  }
  'projects.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof projects.Project>
  }
  'projects.update': {
    input: { path: { id: string }; body?: Static<typeof projects.UpdateProject> }
    reply: Static<typeof projects.Project>
  }
  'ref_routes.remove': {
    input: { path: Static<typeof apps.AppRefPath> }
    reply: { success: boolean }
  }
  'ref_routes.set': {
    input: { path: Static<typeof apps.AppRefPath>; body?: Static<typeof apps.SetRefRoute> }
    reply: Static<typeof apps.RefRoute>
  }
  'ref_routes.site': {
    input: Record<never, never>
    reply: { redirects: Record<string, string> }
  }
  'remotes.add_rule': {
    input: { path: { id: string }; body: Static<typeof agents.RuleInput> }
    reply: Static<typeof agents.Rule>
  }
  'remotes.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'remotes.delete_rule': {
    input: { path: Static<typeof agents.RulePath> }
    reply: { success: boolean }
  }
  'remotes.get': {
    input: { path: { id: string } }
    reply: Static<typeof remotes.Remote>
  }
  'remotes.harnesses': {
    input: Record<never, never>
    reply: Static<typeof harnesses.Harness>[]
  }
  'remotes.heartbeat': {
    input: { path: { id: string }; body?: { status?: string | null } }
    reply: { revived: boolean }
  }
  'remotes.launch': {
    input: { path: { id: string }; body: Static<typeof remotes.LaunchBody> }
    reply: Static<typeof chats.Chat>
  }
  'remotes.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof remotes.Remote>>>
  }
  'remotes.register': {
    input: { body?: Static<typeof remotes.RegisterRemote> }
    reply: Static<typeof remotes.Remote>
  }
  'remotes.rules': {
    input: { path: { id: string } }
    reply: Static<typeof agents.Rule>[]
  }
  'remotes.sessions': {
    input: { path: { id: string }; query?: { cwd?: string } }
    reply: Static<typeof remotes.HarnessSession>[]
  }
  'remotes.update': {
    input: { path: { id: string }; body?: Static<typeof remotes.UpdateRemote> }
    reply: Static<typeof remotes.Remote>
  }
  'scopes.list': {
    input: Record<never, never>
    reply: Static<typeof access.ScopeCatalog>
  }
  'search.find': {
    input: { body?: Static<typeof search.SearchRequest> }
    reply: Static<typeof search.SearchResponse>
  }
  'search.query': {
    input: { query: Static<typeof search.SearchQuery> }
    reply: Static<typeof search.SearchResponse>
  }
  'secrets.change_provider': {
    input: { path: { key: string }; body: Static<typeof secrets.AttachProvider> }
    reply: Static<typeof secrets.Secret>
  }
  'secrets.create': {
    input: { body: Static<typeof secrets.CreateSecret> }
    reply: Static<typeof secrets.Secret>
  }
  'secrets.delete': {
    input: { path: { key: string } }
    reply: { success: boolean }
  }
  'secrets.get': {
    input: { path: { key: string } }
    reply: Static<typeof secrets.Secret>
  }
  'secrets.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof secrets.Secret>>>
  }
  'secrets.restore': {
    input: { path: { key: string }; body: { version_id: string } }
    reply: Static<typeof secrets.Secret>
  }
  'secrets.reveal': {
    input: { path: { key: string } }
    reply: Static<typeof secrets.RevealedSecret>
  }
  'secrets.update': {
    input: { path: { key: string }; body: Static<typeof secrets.UpdateSecret> }
    reply: Static<typeof secrets.Secret>
  }
  'secrets.versions': {
    input: { path: { key: string } }
    reply: Static<typeof secrets.SecretVersion>[]
  }
  'sessions.end': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'sessions.get': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.AppSession>
  }
  'sessions.keepalive': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.AppSession>
  }
  'sessions.list': {
    input: Record<never, never>
    reply: Static<typeof tasks.AppSession>[]
  }
  'skills.content': {
    input: { path: Static<typeof agents.AgentRefPath> }
    reply: { content: string }
  }
  'skills.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'skills.download': {
    input: { path: Static<typeof agents.AgentRefPath> }
    reply: Static<typeof knowledge.SkillDownload>
  }
  'skills.duplicate': {
    input: { path: { id: string } }
    reply: Static<typeof knowledge.Skill>
  }
  'skills.get': {
    input: { path: { id: string } }
    reply: Static<typeof knowledge.Skill>
  }
  'skills.get_by_ref': {
    input: { path: Static<typeof agents.AgentRefPath> }
    reply: Static<typeof knowledge.Skill>
  }
  'skills.get_version': {
    input: { path: Static<typeof apps.VersionPath> }
    reply: Static<typeof knowledge.SkillVersion>
  }
  'skills.lineage': {
    input: { path: { id: string } }
    reply: Static<typeof knowledge.Lineage>
  }
  'skills.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof knowledge.Skill>>>
  }
  'skills.publish': {
    input: { body: Static<typeof knowledge.PublishSkill> }
    reply: Static<typeof knowledge.Skill>
  }
  'skills.resolve': {
    input: { query: Static<typeof knowledge.ResolveSkill> }
    reply: Static<typeof knowledge.ResolvedSkill>
  }
  'skills.set_visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof knowledge.Skill>
  }
  'skills.transfer': {
    input: { path: { id: string }; body: { team_id: string } }
    reply: Static<typeof knowledge.Skill>
  }
  'skills.update': {
    input: { path: { id: string }; body?: Static<typeof knowledge.UpdateSkill> }
    reply: Static<typeof knowledge.Skill>
  }
  'skills.versions': {
    input: { path: { id: string }; body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof knowledge.SkillVersion>>>
  }
  'sockets.access': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.SocketAccess>
  }
  'sockets.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'sockets.get': {
    input: { path: { id: string } }
    reply: Static<typeof sockets.LiveSocket>
  }
  'sockets.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof sockets.LiveSocket>>>
  }
  'store.apps': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof apps.StoreApp>>>
  }
  'store.estimate': {
    input: { path: { appId: string }; body?: Static<typeof pricing.EstimateRequest> }
    reply: Static<typeof pricing.Estimate>
  }
  'store.pricing': {
    input: { path: { appId: string } }
    reply: Static<typeof pricing.AppPricingAnswer>
  }
  'store.set_listing': {
    input: { path: { appId: string }; body?: Static<typeof apps.UpdateListing> }
    reply: Static<typeof apps.StoreApp>
  }
  'store.set_pricing': {
    input: { path: { appId: string }; body?: Static<typeof pricing.SetAppPricing> }
    reply: Static<typeof pricing.AppPricingAnswer>
  }
  'store.set_skill_listing': {
    input: { path: { id: string }; body?: Static<typeof apps.UpdateSkillListing> }
    reply: Static<typeof knowledge.StoreSkill>
  }
  'store.skills': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof knowledge.StoreSkill>>>
  }
  'store.submit': {
    input: { path: { appId: string }; body?: { version_id?: string } }
    reply: Static<typeof apps.StoreApp>
  }
  'store.tags': {
    input: Record<never, never>
    reply: Static<typeof apps.StoreTag>[]
  }
  'suggest.convert': {
    input: { body: Static<typeof search.ConvertSuggestion> }
    reply: Record<string, unknown>
  }
  'suggest.find': {
    input: { body: Static<typeof search.SuggestRequest> }
    reply: Static<typeof search.SuggestResponse>
  }
  'suggest.query': {
    input: { query: { q: string } }
    reply: Static<typeof search.SuggestResponse>
  }
  'tasks.authority': {
    input: { path: { id: string } }
    reply: Static<typeof authority.Authority>
  }
  'tasks.cancel': {
    input: { path: { id: string }; body?: Static<typeof tasks.CancelRequest> }
    reply: Static<typeof tasks.Task>
  }
  'tasks.cost': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.TaskCost>
  }
  'tasks.counts': {
    input: { query?: Static<typeof tasks.TaskCountsQuery> }
    reply: Static<typeof tasks.TaskCounts>
  }
  'tasks.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'tasks.deleteFiles': {
    input: { path: { id: string } }
    reply: { deleted: number }
  }
  'tasks.feature': {
    input: { path: { id: string }; body: { is_featured: boolean } }
    reply: Static<typeof tasks.Task>
  }
  'tasks.featured': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof tasks.Task>>>
  }
  'tasks.files': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.TaskFile>[]
  }
  'tasks.get': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.Task>
  }
  'tasks.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof tasks.Task>>>
  }
  'tasks.logs': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.TaskLogs>
  }
  'tasks.redeliver': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.WebhookDelivery>
  }
  'tasks.run': {
    input: { body: Static<typeof tasks.RunRequest> }
    reply: Static<typeof tasks.TaskResult>
  }
  'tasks.status': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.TaskStatusReply>
  }
  'tasks.stream': {
    input: { path: { id: string }; query?: { last_event_id?: string } }
    reply: Static<typeof tasks.Task>
  }
  'tasks.telemetry': {
    input: { path: { id: string } }
    reply: unknown[]
  }
  'tasks.timings': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.TaskTimings>
  }
  'tasks.visibility': {
    input: { path: { id: string }; body: { visibility: "private" | "team" | "org" | "unlisted" | "public" } }
    reply: Static<typeof tasks.Task>
  }
  'tasks.webhooks': {
    input: { path: { id: string } }
    reply: Static<typeof tasks.WebhookDelivery>[]
  }
  'team_invites.create': {
    input: { path: { id: string }; body: Static<typeof teams.AddMember> }
    reply: Static<typeof teams.Invite>
  }
  'team_invites.list': {
    input: { path: { id: string } }
    reply: Static<typeof teams.Invite>[]
  }
  'team_invites.revoke': {
    input: { path: Static<typeof teams.InvitePath> }
    reply: Static<typeof teams.Invite>
  }
  'teams.archive': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'teams.check_username': {
    input: { query: { username: string } }
    reply: Static<typeof teams.UsernameAvailability>
  }
  'teams.create': {
    input: { body: Static<typeof teams.CreateTeam> }
    reply: Static<typeof teams.Team>
  }
  'teams.get': {
    input: { path: { id: string } }
    reply: Static<typeof teams.Team>
  }
  'teams.list': {
    input: Record<never, never>
    reply: Static<typeof teams.Team>[]
  }
  'teams.set_up': {
    input: { path: { id: string }; body: { username: string } }
    reply: Static<typeof teams.Team>
  }
  'teams.update': {
    input: { path: { id: string }; body?: Static<typeof teams.UpdateTeam> }
    reply: Static<typeof teams.Team>
  }
  'teams.view': {
    input: { path: { id: string } }
    reply: Static<typeof teams.TeamView>
  }
  'tools.always_allow': {
    input: { path: Static<typeof chatAnswers.ChatToolPath>; body?: Static<typeof chatAnswers.AlwaysAllow> }
    reply: { rules: Static<typeof agents.Rule>[] }
  }
  'tools.always_allow_options': {
    input: { path: Static<typeof chatAnswers.ChatToolPath> }
    reply: Static<typeof chatAnswers.AlwaysAllowOptions>
  }
  'tools.answer': {
    input: { path: { id: string }; query?: { token?: string }; body?: Static<typeof chatAnswers.AnswerTool> }
    reply: Static<typeof chats.ToolInvocation>
  }
  'tools.explain': {
    input: { path: Static<typeof chatAnswers.ChatToolPath> }
    reply: Static<typeof chatAnswers.Explanation>
  }
  'tools.invoke': {
    input: { path: { id: string } }
    reply: Static<typeof chats.ToolInvocation>
  }
  'tools.reject': {
    input: { path: { id: string }; body?: { reason?: string } }
    reply: Static<typeof chats.ToolInvocation>
  }
  'trigger_fires.get': {
    input: { path: { id: string } }
    reply: Static<typeof triggers.TriggerFire>
  }
  'trigger_fires.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof triggers.TriggerFire>>>
  }
  'trigger_fires.replay': {
    input: { path: { id: string } }
    reply: Static<typeof triggers.TriggerFired>
  }
  'trigger_fires.try_filters': {
    input: { path: { id: string }; body: { filters: unknown[] } }
    reply: Static<typeof triggers.FiltersTried>
  }
  'trigger_sources.list': {
    input: Record<never, never>
    reply: Static<typeof triggers.TriggerSource>[]
  }
  'triggers.create': {
    input: { body: Static<typeof triggers.CreateTrigger> }
    reply: Static<typeof triggers.Trigger>
  }
  'triggers.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'triggers.fire': {
    input: { path: { id: string }; body?: Record<string, unknown> }
    reply: Static<typeof triggers.TriggerFired>
  }
  'triggers.get': {
    input: { path: { id: string } }
    reply: Static<typeof triggers.Trigger>
  }
  'triggers.hook': {
    input: { path: { id: string }; body: Uint8Array }
    reply: Static<typeof triggers.HookAnswer>
  }
  'triggers.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof triggers.Trigger>>>
  }
  'triggers.try_mapping': {
    input: { body: Static<typeof triggers.TryMapping> }
    reply: Static<typeof triggers.MappingTried>
  }
  'triggers.update': {
    input: { path: { id: string }; body?: Static<typeof triggers.UpdateTrigger> }
    reply: Static<typeof triggers.Trigger>
  }
  'vaults.add_credential': {
    input: { path: { id: string }; body: { credential_id: string } }
    reply: { success: boolean }
  }
  'vaults.add_secret': {
    input: { path: { id: string }; body: { secret_id: string } }
    reply: { success: boolean }
  }
  'vaults.create': {
    input: { body: Static<typeof vaults.CreateVault> }
    reply: Static<typeof vaults.Vault>
  }
  'vaults.credentials': {
    input: { path: { id: string } }
    reply: Static<typeof vaults.VaultCredential>[]
  }
  'vaults.delete': {
    input: { path: { id: string } }
    reply: { success: boolean }
  }
  'vaults.get': {
    input: { path: { id: string } }
    reply: Static<typeof vaults.Vault>
  }
  'vaults.get_default': {
    input: Record<never, never>
    reply: Static<typeof vaults.Vault>
  }
  'vaults.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof vaults.Vault>>>
  }
  'vaults.remove_credential': {
    input: { path: { id: string }; body: { credential_id: string } }
    reply: { success: boolean }
  }
  'vaults.remove_secret': {
    input: { path: { id: string }; body: { secret_id: string } }
    reply: { success: boolean }
  }
  'vaults.replace': {
    input: { path: { id: string }; body?: Static<typeof vaults.ReplaceVault> }
    reply: Static<typeof vaults.Vault>
  }
  'vaults.secrets': {
    input: { path: { id: string } }
    reply: Static<typeof secrets.Secret>[]
  }
  'workspaces.clear_limit': {
    input: { path: Static<typeof installation.LimitPath> }
    reply: Static<typeof installation.WorkspaceLimit>[]
  }
  'workspaces.end_plan': {
    input: { path: Static<typeof installation.WorkspacePlanPath> }
    reply: Static<typeof installation.Workspace>
  }
  'workspaces.get': {
    input: { path: { id: string } }
    reply: Static<typeof installation.Workspace>
  }
  'workspaces.limits': {
    input: { path: { id: string } }
    reply: Static<typeof installation.WorkspaceLimit>[]
  }
  'workspaces.list': {
    input: { body?: Static<typeof common.ListRequest> }
    reply: common.Page<Partial<Static<typeof installation.Workspace>>>
  }
  'workspaces.set_limit': {
    input: { path: Static<typeof installation.LimitPath>; body: Static<typeof installation.SetLimit> }
    reply: Static<typeof installation.WorkspaceLimit>[]
  }
  'workspaces.set_plan': {
    input: { path: Static<typeof installation.WorkspacePlanPath> }
    reply: Static<typeof installation.Workspace>
  }
}

export const operationTable = {
  'a2a.call': { method: 'POST', path: '/a2a/:agentId', bare: true },
  'ag_ui.run': { method: 'POST', path: '/ag-ui/:agentId', stream: true },
  'agent_runs.authority': { method: 'GET', path: '/agent-runs/:id/authority' },
  'agent_runs.get': { method: 'GET', path: '/agent-runs/:id' },
  'agent_runs.interrupts': { method: 'GET', path: '/agent-runs/:id/interrupts' },
  'agent_runs.stream': { method: 'GET', path: '/agent-runs/:id/stream', stream: true },
  'agent_sessions.end': { method: 'POST', path: '/session/end' },
  'agents.add_rule': { method: 'POST', path: '/agents/:id/rules' },
  'agents.card': { method: 'GET', path: '/agents/:id/card', bare: true },
  'agents.create': { method: 'POST', path: '/agents' },
  'agents.delete': { method: 'DELETE', path: '/agents/:id' },
  'agents.delete_rule': { method: 'DELETE', path: '/agents/:id/rules/:ruleId' },
  'agents.duplicate': { method: 'POST', path: '/agents/:id/duplicate' },
  'agents.get': { method: 'GET', path: '/agents/:id' },
  'agents.get_by_ref': { method: 'GET', path: '/agents/:namespace/:name' },
  'agents.get_version': { method: 'GET', path: '/agents/:id/versions/:versionId' },
  'agents.hook_events': { method: 'GET', path: '/agents/hook-events' },
  'agents.internal_tools': { method: 'GET', path: '/agents/internal-tools' },
  'agents.list': { method: 'POST', path: '/agents/list', list: true },
  'agents.promote': { method: 'PUT', path: '/agents/:id/versions/:versionId/current' },
  'agents.rules': { method: 'GET', path: '/agents/:id/rules' },
  'agents.run': { method: 'POST', path: '/agents/run' },
  'agents.set_visibility': { method: 'POST', path: '/agents/:id/visibility' },
  'agents.transfer': { method: 'POST', path: '/agents/:id/transfer' },
  'agents.update': { method: 'POST', path: '/agents/:id' },
  'agents.versions': { method: 'POST', path: '/agents/:id/versions/list', list: true },
  'apikeys.create': { method: 'POST', path: '/apikeys' },
  'apikeys.list': { method: 'POST', path: '/apikeys/list', list: true },
  'apikeys.revoke': { method: 'DELETE', path: '/apikeys/:id' },
  'apikeys.rotate': { method: 'POST', path: '/apikeys/:id/rotate' },
  'apps.accept_license': { method: 'POST', path: '/apps/:id/license' },
  'apps.delete': { method: 'DELETE', path: '/apps/:id' },
  'apps.deploy': { method: 'POST', path: '/apps' },
  'apps.duplicate': { method: 'POST', path: '/apps/:id/duplicate' },
  'apps.get': { method: 'GET', path: '/apps/:id' },
  'apps.get_by_ref': { method: 'GET', path: '/apps/:namespace/:name' },
  'apps.license': { method: 'GET', path: '/apps/:id/license' },
  'apps.list': { method: 'POST', path: '/apps/list', list: true },
  'apps.patch': { method: 'PATCH', path: '/apps/:id' },
  'apps.promote': { method: 'PUT', path: '/apps/:id/versions/:versionId/current' },
  'apps.replace': { method: 'POST', path: '/apps/:id' },
  'apps.set_status': { method: 'POST', path: '/apps/:id/status' },
  'apps.set_visibility': { method: 'POST', path: '/apps/:id/visibility' },
  'apps.transfer': { method: 'POST', path: '/apps/:id/transfer' },
  'apps.version': { method: 'GET', path: '/apps/:id/versions/:versionId' },
  'apps.versions': { method: 'POST', path: '/apps/:id/versions/list', list: true },
  'artifacts.content': { method: 'GET', path: '/artifacts/:id/content' },
  'artifacts.delete': { method: 'DELETE', path: '/artifacts/:id' },
  'artifacts.get': { method: 'GET', path: '/artifacts/:id' },
  'artifacts.get_by_ref': { method: 'GET', path: '/artifacts/:namespace/:name' },
  'artifacts.get_version': { method: 'GET', path: '/artifacts/:id/versions/:versionId' },
  'artifacts.list': { method: 'POST', path: '/artifacts/list', list: true },
  'artifacts.publish': { method: 'POST', path: '/artifacts' },
  'artifacts.publish_version': { method: 'POST', path: '/artifacts/:id/versions' },
  'artifacts.set_visibility': { method: 'POST', path: '/artifacts/:id/visibility' },
  'artifacts.transfer': { method: 'POST', path: '/artifacts/:id/transfer' },
  'artifacts.update': { method: 'POST', path: '/artifacts/:id' },
  'artifacts.version_content': { method: 'GET', path: '/artifacts/:id/versions/:versionId/content' },
  'artifacts.versions': { method: 'POST', path: '/artifacts/:id/versions/list', list: true },
  'audit.list': { method: 'POST', path: '/audit-log/list', list: true },
  'audit.verify': { method: 'POST', path: '/audit-log/verify' },
  'auth.link.send': { method: 'POST', path: '/auth/magic-link/send' },
  'auth.link.verify': { method: 'POST', path: '/auth/magic-link/verify' },
  'auth.logout': { method: 'POST', path: '/auth/logout' },
  'auth.me': { method: 'GET', path: '/auth/me' },
  'auth.oidc.callback': { method: 'GET', path: '/auth/oidc/callback' },
  'auth.oidc.start': { method: 'GET', path: '/auth/oidc/start' },
  'auth.otp.verify': { method: 'POST', path: '/auth/otp/verify' },
  'auth.sessions.list': { method: 'GET', path: '/auth/sessions' },
  'auth.sessions.revoke': { method: 'DELETE', path: '/auth/sessions/:id' },
  'auth.sessions.revoke_all': { method: 'POST', path: '/auth/sessions/revoke-all' },
  'auth.sessions.token': { method: 'POST', path: '/auth/sessions/token' },
  'auth.totp.confirm': { method: 'POST', path: '/auth/totp/confirm' },
  'auth.totp.enroll': { method: 'POST', path: '/auth/totp/enroll' },
  'auth.totp.recovery_codes': { method: 'POST', path: '/auth/totp/recovery-codes' },
  'auth.totp.remove': { method: 'DELETE', path: '/auth/totp' },
  'auth_providers.create': { method: 'POST', path: '/auth-providers' },
  'auth_providers.delete': { method: 'DELETE', path: '/auth-providers/:id' },
  'auth_providers.get': { method: 'GET', path: '/auth-providers/:id' },
  'auth_providers.hooks': { method: 'GET', path: '/auth-providers/hooks' },
  'auth_providers.list': { method: 'GET', path: '/auth-providers' },
  'auth_providers.update': { method: 'PUT', path: '/auth-providers/:id' },
  'billing.get': { method: 'GET', path: '/billing' },
  'billing.grant': { method: 'POST', path: '/billing/grants' },
  'billing.resources': { method: 'GET', path: '/usage/resources' },
  'billing.status': { method: 'POST', path: '/billing/status' },
  'billing.summary': { method: 'GET', path: '/usage/summary' },
  'billing.transactions': { method: 'POST', path: '/transactions/list', list: true },
  'billing.usage': { method: 'GET', path: '/usage' },
  'budgets.create': { method: 'POST', path: '/budgets' },
  'budgets.delete': { method: 'DELETE', path: '/budgets/:id' },
  'budgets.list': { method: 'POST', path: '/budgets/list', list: true },
  'budgets.update': { method: 'PUT', path: '/budgets/:id' },
  'chat_messages.cancel': { method: 'POST', path: '/chats/messages/:id/cancel' },
  'chat_messages.stream': { method: 'GET', path: '/chats/messages/:id/stream', stream: true },
  'chats.add_rule': { method: 'POST', path: '/chats/:id/rules' },
  'chats.create': { method: 'POST', path: '/chats' },
  'chats.delete': { method: 'DELETE', path: '/chats/:id' },
  'chats.delete_rule': { method: 'DELETE', path: '/chats/:id/rules/:ruleId' },
  'chats.fork': { method: 'POST', path: '/chats/:id/fork' },
  'chats.get': { method: 'GET', path: '/chats/:id' },
  'chats.list': { method: 'POST', path: '/chats/list', list: true },
  'chats.messages': { method: 'POST', path: '/chats/:id/messages/list', list: true },
  'chats.rules': { method: 'GET', path: '/chats/:id/rules' },
  'chats.send': { method: 'POST', path: '/chats/:id/messages' },
  'chats.set_agent': { method: 'POST', path: '/chats/:id/agent' },
  'chats.set_visibility': { method: 'POST', path: '/chats/:id/visibility' },
  'chats.settings': { method: 'POST', path: '/chats/:id/settings' },
  'chats.status': { method: 'GET', path: '/chats/:id/status' },
  'chats.stop': { method: 'POST', path: '/chats/:id/stop' },
  'chats.stream': { method: 'GET', path: '/chats/:id/stream', stream: true },
  'chats.trace': { method: 'GET', path: '/chats/:id/trace' },
  'chats.update': { method: 'POST', path: '/chats/:id' },
  'clouds.delete': { method: 'DELETE', path: '/clouds/:key' },
  'clouds.list': { method: 'GET', path: '/clouds' },
  'clouds.refresh': { method: 'POST', path: '/clouds/:key/refresh' },
  'clouds.set': { method: 'PUT', path: '/clouds/:key' },
  'clouds.set_types': { method: 'PUT', path: '/clouds/:key/types' },
  'connectors.complete': { method: 'POST', path: '/connectors/complete' },
  'connectors.create': { method: 'POST', path: '/connectors' },
  'credentials.add_scopes': { method: 'POST', path: '/credentials/:provider/scopes' },
  'credentials.available': { method: 'GET', path: '/credentials/available' },
  'credentials.capabilities': { method: 'GET', path: '/credentials/capabilities' },
  'credentials.check': { method: 'POST', path: '/credentials/check' },
  'credentials.complete_oauth': { method: 'POST', path: '/credentials/oauth/complete' },
  'credentials.configs': { method: 'GET', path: '/credentials/configs' },
  'credentials.connect': { method: 'POST', path: '/credentials' },
  'credentials.disconnect': { method: 'DELETE', path: '/credentials/:provider' },
  'credentials.get': { method: 'GET', path: '/credentials/:provider' },
  'credentials.list': { method: 'POST', path: '/credentials/list', list: true },
  'credentials.set_app': { method: 'PUT', path: '/credentials/:provider/app' },
  'dev.mail': { method: 'GET', path: '/dev/mail' },
  'device.approve': { method: 'POST', path: '/device/auth/approve' },
  'device.claim': { method: 'POST', path: '/device/auth/claim' },
  'device.deny': { method: 'POST', path: '/device/auth/deny' },
  'device.look_up': { method: 'GET', path: '/device/auth/code/:code' },
  'device.poll': { method: 'GET', path: '/device/auth/poll/:device_code' },
  'device.start': { method: 'POST', path: '/device/auth' },
  'engines.create': { method: 'POST', path: '/engines' },
  'engines.delete': { method: 'DELETE', path: '/engines/:id' },
  'engines.drain': { method: 'POST', path: '/engines/:id/drain' },
  'engines.extend': { method: 'POST', path: '/engines/:id/extend' },
  'engines.get': { method: 'GET', path: '/engines/:id' },
  'engines.list': { method: 'POST', path: '/engines/list', list: true },
  'engines.match': { method: 'POST', path: '/engines/resources' },
  'engines.register': { method: 'POST', path: '/engines/register' },
  'engines.restart': { method: 'POST', path: '/engines/:id/restart' },
  'engines.stop': { method: 'POST', path: '/engines/:id/stop' },
  'engines.stream': { method: 'GET', path: '/engines/:id/stream', stream: true },
  'engines.transfer': { method: 'POST', path: '/engines/:id/transfer' },
  'engines.types': { method: 'GET', path: '/engines/types' },
  'engines.update': { method: 'POST', path: '/engines/:id' },
  'engines.upgrade': { method: 'POST', path: '/engines/:id/update' },
  'engines.visibility': { method: 'POST', path: '/engines/:id/visibility' },
  'entitlements.list': { method: 'GET', path: '/entitlements' },
  'entitlements.usage': { method: 'GET', path: '/entitlements/usage' },
  'events.stream': { method: 'GET', path: '/events', stream: true },
  'execs.get': { method: 'GET', path: '/execs/:id' },
  'execs.input': { method: 'POST', path: '/execs/:id/input' },
  'execs.list': { method: 'POST', path: '/execs/list', list: true },
  'execs.output': { method: 'GET', path: '/execs/:id/output' },
  'execs.resize': { method: 'POST', path: '/execs/:id/resize' },
  'execs.signal': { method: 'POST', path: '/execs/:id/signal' },
  'execs.start': { method: 'POST', path: '/remotes/:id/execs' },
  'files.create': { method: 'POST', path: '/files' },
  'files.delete': { method: 'DELETE', path: '/files/:id' },
  'files.get': { method: 'GET', path: '/files/:id' },
  'files.list': { method: 'POST', path: '/files/list', list: true },
  'files.set_visibility': { method: 'POST', path: '/files/:id/visibility' },
  'flow_runs.authority': { method: 'GET', path: '/flowruns/:id/authority' },
  'flow_runs.cancel': { method: 'POST', path: '/flowruns/:id/cancel' },
  'flow_runs.clone': { method: 'POST', path: '/flowruns/:id/clone' },
  'flow_runs.create': { method: 'POST', path: '/flowruns' },
  'flow_runs.events': { method: 'GET', path: '/flowruns/:id/events' },
  'flow_runs.get': { method: 'GET', path: '/flowruns/:id' },
  'flow_runs.list': { method: 'POST', path: '/flowruns/list', list: true },
  'flow_runs.patch': { method: 'POST', path: '/flowruns/:id' },
  'flow_runs.replay': { method: 'POST', path: '/flowruns/:id/replay' },
  'flow_runs.rerun': { method: 'POST', path: '/flowruns/:id/rerun' },
  'flow_runs.resume': { method: 'POST', path: '/flowruns/:id/resume' },
  'flow_runs.set_visibility': { method: 'POST', path: '/flowruns/:id/visibility' },
  'flow_runs.stream': { method: 'GET', path: '/flowruns/:id/stream', stream: true },
  'flow_runs.stream_tasks': { method: 'GET', path: '/flowruns/:id/tasks/stream', stream: true },
  'flows.act': { method: 'POST', path: '/flows/:id/actions' },
  'flows.create': { method: 'POST', path: '/flows' },
  'flows.delete': { method: 'DELETE', path: '/flows/:id' },
  'flows.deploy': { method: 'POST', path: '/flows/:id/app' },
  'flows.duplicate': { method: 'POST', path: '/flows/:id/duplicate' },
  'flows.evaluate': { method: 'POST', path: '/flows/evaluate' },
  'flows.get': { method: 'GET', path: '/flows/:id' },
  'flows.get_by_ref': { method: 'GET', path: '/flows/:namespace/:name' },
  'flows.list': { method: 'POST', path: '/flows/list', list: true },
  'flows.patch': { method: 'PATCH', path: '/flows/:id' },
  'flows.publish': { method: 'POST', path: '/flows/:id/publish' },
  'flows.replace': { method: 'POST', path: '/flows/:id' },
  'flows.set_visibility': { method: 'POST', path: '/flows/:id/visibility' },
  'flows.stream': { method: 'GET', path: '/flows/:id/stream', stream: true },
  'flows.transfer': { method: 'POST', path: '/flows/:id/transfer' },
  'flows.versions': { method: 'POST', path: '/flows/:id/versions/list', list: true },
  'health.get': { method: 'GET', path: '/health' },
  'instances.price_history': { method: 'GET', path: '/instances/types/price-history' },
  'instances.types': { method: 'GET', path: '/instances/types' },
  'interrupts.get': { method: 'GET', path: '/interrupts/:id' },
  'interrupts.resolve': { method: 'POST', path: '/interrupts/:id/resolve' },
  'invites.accept': { method: 'POST', path: '/invites/:id/accept' },
  'invites.decline': { method: 'POST', path: '/invites/:id/decline' },
  'invites.info': { method: 'GET', path: '/invites/info' },
  'invites.list': { method: 'GET', path: '/invites' },
  'ip_blocks.create': { method: 'POST', path: '/ip-blocks' },
  'ip_blocks.delete': { method: 'DELETE', path: '/ip-blocks/:id' },
  'ip_blocks.list': { method: 'POST', path: '/ip-blocks/list', list: true },
  'knowledge.confirm': { method: 'POST', path: '/knowledge/:id/confirm' },
  'knowledge.create': { method: 'POST', path: '/knowledge' },
  'knowledge.delete': { method: 'DELETE', path: '/knowledge/:id' },
  'knowledge.duplicate': { method: 'POST', path: '/knowledge/:id/duplicate' },
  'knowledge.get': { method: 'GET', path: '/knowledge/:id' },
  'knowledge.get_by_ref': { method: 'GET', path: '/knowledge/:namespace/:name' },
  'knowledge.get_version': { method: 'GET', path: '/knowledge/:id/versions/:versionId' },
  'knowledge.get_version_by_ref': { method: 'GET', path: '/knowledge/:namespace/:name/versions/:versionId' },
  'knowledge.lineage': { method: 'GET', path: '/knowledge/:id/lineage' },
  'knowledge.list': { method: 'POST', path: '/knowledge/list', list: true },
  'knowledge.references': { method: 'GET', path: '/knowledge/:id/references' },
  'knowledge.set_visibility': { method: 'POST', path: '/knowledge/:id/visibility' },
  'knowledge.transfer': { method: 'POST', path: '/knowledge/:id/transfer' },
  'knowledge.update': { method: 'POST', path: '/knowledge/:id' },
  'knowledge.versions': { method: 'POST', path: '/knowledge/:id/versions/list', list: true },
  'mcp_servers.create': { method: 'POST', path: '/mcp-servers' },
  'mcp_servers.delete': { method: 'DELETE', path: '/mcp-servers/:id' },
  'mcp_servers.get': { method: 'GET', path: '/mcp-servers/:id' },
  'mcp_servers.list': { method: 'POST', path: '/mcp-servers/list', list: true },
  'mcp_servers.update': { method: 'PUT', path: '/mcp-servers/:id' },
  'mcps.call_tool': { method: 'POST', path: '/mcps/:slug/tools/:tool' },
  'mcps.get': { method: 'GET', path: '/mcps/:slug' },
  'mcps.list': { method: 'POST', path: '/mcps/list', list: true },
  'mcps.tools': { method: 'GET', path: '/mcps/:slug/tools' },
  'me.get': { method: 'GET', path: '/me' },
  'me.stats': { method: 'GET', path: '/me/stats' },
  'me.update': { method: 'POST', path: '/me' },
  'members.add': { method: 'POST', path: '/teams/:id/members' },
  'members.list': { method: 'GET', path: '/teams/:id/members' },
  'members.remove': { method: 'DELETE', path: '/teams/:id/members/:userId' },
  'members.set_role': { method: 'POST', path: '/teams/:id/members/:userId/role' },
  'oauth.client_metadata': { method: 'GET', path: '/oauth/client-metadata/:slug', bare: true },
  'oauth.device_authorization': { method: 'POST', path: '/oauth/device_authorization', bare: true, form: true },
  'oauth.metadata': { method: 'GET', path: '/.well-known/oauth-authorization-server', bare: true },
  'oauth.protected_resource': { method: 'GET', path: '/.well-known/oauth-protected-resource', bare: true },
  'oauth.register': { method: 'POST', path: '/oauth/register', bare: true, form: true },
  'oauth.revoke': { method: 'POST', path: '/oauth/revoke', bare: true, form: true },
  'oauth.token': { method: 'POST', path: '/oauth/token', bare: true, form: true },
  'openai.cancel_response': { method: 'POST', path: '/v1/responses/:id/cancel', bare: true },
  'openai.chat_completion': { method: 'POST', path: '/v1/chat/completions', bare: true },
  'openai.create_file': { method: 'POST', path: '/v1/files', bare: true, bytes: true },
  'openai.create_response': { method: 'POST', path: '/v1/responses', bare: true },
  'openai.delete_file': { method: 'DELETE', path: '/v1/files/:id', bare: true },
  'openai.delete_response': { method: 'DELETE', path: '/v1/responses/:id', bare: true },
  'openai.embeddings': { method: 'POST', path: '/v1/embeddings', bare: true },
  'openai.file': { method: 'GET', path: '/v1/files/:id', bare: true },
  'openai.file_content': { method: 'GET', path: '/v1/files/:id/content', bare: true },
  'openai.files': { method: 'GET', path: '/v1/files', bare: true },
  'openai.model': { method: 'GET', path: '/v1/models/:id', bare: true },
  'openai.model_by_ref': { method: 'GET', path: '/v1/models/:namespace/:name', bare: true },
  'openai.models': { method: 'GET', path: '/v1/models', bare: true },
  'openai.response': { method: 'GET', path: '/v1/responses/:id', bare: true },
  'organizations.add_admin': { method: 'POST', path: '/organizations/:id/admins' },
  'organizations.attach_team': { method: 'POST', path: '/organizations/:id/teams' },
  'organizations.create': { method: 'POST', path: '/organizations' },
  'organizations.detach_team': { method: 'DELETE', path: '/organizations/:id/teams/:teamId' },
  'organizations.get': { method: 'GET', path: '/organizations/:id' },
  'organizations.list': { method: 'POST', path: '/organizations/list', list: true },
  'organizations.list_admins': { method: 'GET', path: '/organizations/:id/admins' },
  'organizations.list_teams': { method: 'GET', path: '/organizations/:id/teams' },
  'organizations.remove_admin': { method: 'DELETE', path: '/organizations/:id/admins/:userId' },
  'plans.delete': { method: 'DELETE', path: '/plans/:name' },
  'plans.list': { method: 'GET', path: '/plans' },
  'plans.set': { method: 'PUT', path: '/plans/:name' },
  'projects.create': { method: 'POST', path: '/projects' },
  'projects.delete': { method: 'DELETE', path: '/projects/:id' },
  'projects.get': { method: 'GET', path: '/projects/:id' },
  'projects.list': { method: 'POST', path: '/projects/list', list: true },
  'projects.move': { method: 'POST', path: '/projects/move' },
  'projects.set_visibility': { method: 'POST', path: '/projects/:id/visibility' },
  'projects.update': { method: 'POST', path: '/projects/:id' },
  'ref_routes.remove': { method: 'DELETE', path: '/ref-routes/:namespace/:name' },
  'ref_routes.set': { method: 'PUT', path: '/ref-routes/:namespace/:name' },
  'ref_routes.site': { method: 'GET', path: '/ref-routes/site' },
  'remotes.add_rule': { method: 'POST', path: '/remotes/:id/rules' },
  'remotes.delete': { method: 'DELETE', path: '/remotes/:id' },
  'remotes.delete_rule': { method: 'DELETE', path: '/remotes/:id/rules/:ruleId' },
  'remotes.get': { method: 'GET', path: '/remotes/:id' },
  'remotes.harnesses': { method: 'GET', path: '/harnesses' },
  'remotes.heartbeat': { method: 'POST', path: '/remotes/:id/heartbeat', bare: true },
  'remotes.launch': { method: 'POST', path: '/remotes/:id/launch' },
  'remotes.list': { method: 'POST', path: '/remotes/list', list: true },
  'remotes.register': { method: 'POST', path: '/remotes' },
  'remotes.rules': { method: 'GET', path: '/remotes/:id/rules' },
  'remotes.sessions': { method: 'GET', path: '/remotes/:id/sessions' },
  'remotes.update': { method: 'POST', path: '/remotes/:id' },
  'scopes.list': { method: 'GET', path: '/scopes' },
  'search.find': { method: 'POST', path: '/search' },
  'search.query': { method: 'GET', path: '/search' },
  'secrets.change_provider': { method: 'PUT', path: '/secrets/:key/provider' },
  'secrets.create': { method: 'POST', path: '/secrets' },
  'secrets.delete': { method: 'DELETE', path: '/secrets/:key' },
  'secrets.get': { method: 'GET', path: '/secrets/:key' },
  'secrets.list': { method: 'POST', path: '/secrets/list', list: true },
  'secrets.restore': { method: 'POST', path: '/secrets/:key/restore' },
  'secrets.reveal': { method: 'GET', path: '/secrets/reveal/:key' },
  'secrets.update': { method: 'PUT', path: '/secrets/:key' },
  'secrets.versions': { method: 'GET', path: '/secrets/:key/versions' },
  'sessions.end': { method: 'DELETE', path: '/sessions/:id' },
  'sessions.get': { method: 'GET', path: '/sessions/:id' },
  'sessions.keepalive': { method: 'POST', path: '/sessions/:id/keepalive' },
  'sessions.list': { method: 'GET', path: '/sessions' },
  'skills.content': { method: 'GET', path: '/skills/:namespace/:name/content' },
  'skills.delete': { method: 'DELETE', path: '/skills/:id' },
  'skills.download': { method: 'GET', path: '/skills/:namespace/:name/download' },
  'skills.duplicate': { method: 'POST', path: '/skills/:id/duplicate' },
  'skills.get': { method: 'GET', path: '/skills/:id' },
  'skills.get_by_ref': { method: 'GET', path: '/skills/:namespace/:name' },
  'skills.get_version': { method: 'GET', path: '/skills/:id/versions/:versionId' },
  'skills.lineage': { method: 'GET', path: '/skills/:id/lineage' },
  'skills.list': { method: 'POST', path: '/skills/list', list: true },
  'skills.publish': { method: 'POST', path: '/skills' },
  'skills.resolve': { method: 'GET', path: '/skills/resolve' },
  'skills.set_visibility': { method: 'POST', path: '/skills/:id/visibility' },
  'skills.transfer': { method: 'POST', path: '/skills/:id/transfer' },
  'skills.update': { method: 'POST', path: '/skills/:id' },
  'skills.versions': { method: 'POST', path: '/skills/:id/versions/list', list: true },
  'sockets.access': { method: 'POST', path: '/sockets/:id/access' },
  'sockets.delete': { method: 'DELETE', path: '/sockets/:id' },
  'sockets.get': { method: 'GET', path: '/sockets/:id' },
  'sockets.list': { method: 'POST', path: '/sockets/list', list: true },
  'store.apps': { method: 'POST', path: '/store/apps/list', list: true },
  'store.estimate': { method: 'POST', path: '/store/apps/:appId/estimate' },
  'store.pricing': { method: 'GET', path: '/store/apps/:appId/pricing' },
  'store.set_listing': { method: 'POST', path: '/store/apps/:appId' },
  'store.set_pricing': { method: 'PUT', path: '/store/apps/:appId/pricing' },
  'store.set_skill_listing': { method: 'POST', path: '/store/skills/:id' },
  'store.skills': { method: 'POST', path: '/store/skills/list', list: true },
  'store.submit': { method: 'POST', path: '/store/apps/:appId/submit' },
  'store.tags': { method: 'GET', path: '/store/tags' },
  'suggest.convert': { method: 'POST', path: '/suggest/convert' },
  'suggest.find': { method: 'POST', path: '/suggest' },
  'suggest.query': { method: 'GET', path: '/suggest' },
  'tasks.authority': { method: 'GET', path: '/tasks/:id/authority' },
  'tasks.cancel': { method: 'POST', path: '/tasks/:id/cancel' },
  'tasks.cost': { method: 'GET', path: '/tasks/:id/cost' },
  'tasks.counts': { method: 'GET', path: '/tasks/counts' },
  'tasks.delete': { method: 'DELETE', path: '/tasks/:id' },
  'tasks.deleteFiles': { method: 'DELETE', path: '/tasks/:id/files' },
  'tasks.feature': { method: 'POST', path: '/tasks/:id/featured' },
  'tasks.featured': { method: 'GET', path: '/tasks/featured', list: true },
  'tasks.files': { method: 'GET', path: '/tasks/:id/files' },
  'tasks.get': { method: 'GET', path: '/tasks/:id' },
  'tasks.list': { method: 'POST', path: '/tasks/list', list: true },
  'tasks.logs': { method: 'GET', path: '/tasks/:id/logs' },
  'tasks.redeliver': { method: 'POST', path: '/tasks/:id/webhooks/redeliver' },
  'tasks.run': { method: 'POST', path: '/apps/run' },
  'tasks.status': { method: 'GET', path: '/tasks/:id/status' },
  'tasks.stream': { method: 'GET', path: '/tasks/:id/stream', stream: true },
  'tasks.telemetry': { method: 'GET', path: '/tasks/:id/telemetry' },
  'tasks.timings': { method: 'GET', path: '/tasks/:id/timings' },
  'tasks.visibility': { method: 'POST', path: '/tasks/:id/visibility' },
  'tasks.webhooks': { method: 'GET', path: '/tasks/:id/webhooks' },
  'team_invites.create': { method: 'POST', path: '/teams/:id/invites' },
  'team_invites.list': { method: 'GET', path: '/teams/:id/invites' },
  'team_invites.revoke': { method: 'DELETE', path: '/teams/:id/invites/:inviteId' },
  'teams.archive': { method: 'DELETE', path: '/teams/:id' },
  'teams.check_username': { method: 'GET', path: '/teams/check-username' },
  'teams.create': { method: 'POST', path: '/teams' },
  'teams.get': { method: 'GET', path: '/teams/:id' },
  'teams.list': { method: 'GET', path: '/teams' },
  'teams.set_up': { method: 'POST', path: '/teams/:id/setup' },
  'teams.update': { method: 'POST', path: '/teams/:id' },
  'teams.view': { method: 'GET', path: '/teams/:id/view' },
  'tools.always_allow': { method: 'POST', path: '/chats/:chatId/tools/:id/always-allow' },
  'tools.always_allow_options': { method: 'GET', path: '/chats/:chatId/tools/:id/always-allow/options' },
  'tools.answer': { method: 'POST', path: '/tools/:id' },
  'tools.explain': { method: 'POST', path: '/chats/:chatId/tools/:id/explain' },
  'tools.invoke': { method: 'POST', path: '/tools/:id/invoke' },
  'tools.reject': { method: 'POST', path: '/tools/:id/reject' },
  'trigger_fires.get': { method: 'GET', path: '/trigger-fires/:id' },
  'trigger_fires.list': { method: 'POST', path: '/trigger-fires/list', list: true },
  'trigger_fires.replay': { method: 'POST', path: '/trigger-fires/:id/replay' },
  'trigger_fires.try_filters': { method: 'POST', path: '/trigger-fires/:id/filters' },
  'trigger_sources.list': { method: 'GET', path: '/trigger-sources' },
  'triggers.create': { method: 'POST', path: '/triggers' },
  'triggers.delete': { method: 'DELETE', path: '/triggers/:id' },
  'triggers.fire': { method: 'POST', path: '/triggers/:id/fire' },
  'triggers.get': { method: 'GET', path: '/triggers/:id' },
  'triggers.hook': { method: 'POST', path: '/triggers/:id/hook', bare: true, bytes: true },
  'triggers.list': { method: 'POST', path: '/triggers/list', list: true },
  'triggers.try_mapping': { method: 'POST', path: '/triggers/try-mapping' },
  'triggers.update': { method: 'POST', path: '/triggers/:id' },
  'vaults.add_credential': { method: 'POST', path: '/vaults/:id/credentials' },
  'vaults.add_secret': { method: 'POST', path: '/vaults/:id/secrets' },
  'vaults.create': { method: 'POST', path: '/vaults' },
  'vaults.credentials': { method: 'GET', path: '/vaults/:id/credentials' },
  'vaults.delete': { method: 'DELETE', path: '/vaults/:id' },
  'vaults.get': { method: 'GET', path: '/vaults/:id' },
  'vaults.get_default': { method: 'GET', path: '/vaults/default' },
  'vaults.list': { method: 'POST', path: '/vaults/list', list: true },
  'vaults.remove_credential': { method: 'DELETE', path: '/vaults/:id/credentials' },
  'vaults.remove_secret': { method: 'DELETE', path: '/vaults/:id/secrets' },
  'vaults.replace': { method: 'PUT', path: '/vaults/:id' },
  'vaults.secrets': { method: 'GET', path: '/vaults/:id/secrets' },
  'workspaces.clear_limit': { method: 'DELETE', path: '/workspaces/:id/limits/:resource' },
  'workspaces.end_plan': { method: 'DELETE', path: '/workspaces/:id/plans/:plan' },
  'workspaces.get': { method: 'GET', path: '/workspaces/:id' },
  'workspaces.limits': { method: 'GET', path: '/workspaces/:id/limits' },
  'workspaces.list': { method: 'POST', path: '/workspaces/list', list: true },
  'workspaces.set_limit': { method: 'PUT', path: '/workspaces/:id/limits/:resource' },
  'workspaces.set_plan': { method: 'PUT', path: '/workspaces/:id/plans/:plan' },
} as const
