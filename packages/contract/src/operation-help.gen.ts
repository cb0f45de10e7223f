// Written by `npm run generate` from the list of operations; do not edit.
import type { OperationHelp } from './operation-help.ts'
import type { Operations } from './operations.gen.ts'

export const operationHelp: Readonly<Record<keyof Operations, OperationHelp>> = {
  'a2a.call': {
    summary: "Agent2Agent: send a message to an agent; read, follow or cancel its tasks",
    scope: 'agents:execute',
    fields: [
      {"name":"agentId","in":"path","kind":"string","required":true},
      {"name":"jsonrpc","in":"body","kind":"string","required":true},
      {"name":"id","in":"body","kind":"json"},
      {"name":"method","in":"body","kind":"string","required":true,"description":"A method of version 1.0 (`SendMessage`) or of version 0.3 (`message/send`)"},
      {"name":"params","in":"body","kind":"object"},
    ],
  },
  'ag_ui.run': {
    summary: "AG-UI: run an agent and stream its events",
    scope: 'agents:execute',
    fields: [
      {"name":"agentId","in":"path","kind":"string","required":true},
      {"name":"threadId","in":"body","kind":"string","required":true},
      {"name":"runId","in":"body","kind":"string","required":true},
      {"name":"protocolVersion","in":"body","kind":"string"},
      {"name":"messages","in":"body","kind":"array","required":true},
      {"name":"tools","in":"body","kind":"array"},
      {"name":"context","in":"body","kind":"array"},
    ],
  },
  'agent_runs.authority': {
    summary: "The authority of a run: who started it, with which scopes, and what allowed each call",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'agent_runs.get': {
    summary: "One run of an agent",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'agent_runs.interrupts': {
    summary: "Interrupts of a run",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'agent_runs.stream': {
    summary: "Stream a run and its events until it is over",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"last_event_id","in":"query","kind":"string"},
    ],
  },
  'agent_sessions.end': {
    summary: "Report how a session of a coding agent ended",
    scope: 'optional',
    fields: [
      {"name":"session_id","in":"body","kind":"string"},
      {"name":"agent","in":"body","kind":"string"},
      {"name":"messages","in":"body","kind":"integer"},
      {"name":"user_turns","in":"body","kind":"integer"},
      {"name":"files_edited","in":"body","kind":"integer"},
      {"name":"tools","in":"body","kind":"array"},
    ],
  },
  'agents.add_rule': {
    summary: "Add a rule; an allow rule needs a sign-in",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"effect","in":"body","kind":"allow|ask|deny","required":true},
      {"name":"kind","in":"body","kind":"Tool|RemoteExec|MCP"},
      {"name":"selector","in":"body","kind":"string"},
      {"name":"specifier","in":"body","kind":"string"},
      {"name":"label","in":"body","kind":"string"},
    ],
  },
  'agents.card': {
    summary: "The description of an agent that other agents see",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'agents.create': {
    summary: "Create an agent, or a new version of the agent with this `id`",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"body","kind":"string"},
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"title","in":"body","kind":"string"},
      {"name":"namespace","in":"body","kind":"string","description":"Only honored for platform administrators"},
      {"name":"images","in":"body","kind":"object"},
      {"name":"version","in":"body","kind":"object"},
    ],
  },
  'agents.delete': {
    summary: "Delete an agent; its chats continue with their version",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'agents.delete_rule': {
    summary: "Delete a rule; deleting an ask or deny rule needs a sign-in",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"ruleId","in":"path","kind":"string","required":true},
    ],
  },
  'agents.duplicate': {
    summary: "Copy an agent into the caller’s workspace",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'agents.get': {
    summary: "One agent with its active version",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'agents.get_by_ref': {
    summary: "The agent with this ref, and the version that the ref pins",
    scope: 'agents:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version]"},
    ],
  },
  'agents.get_version': {
    summary: "One version of an agent",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'agents.hook_events': {
    summary: "Lifecycle events of an agent that hooks can subscribe to",
    scope: 'agents:read',
    fields: [],
  },
  'agents.internal_tools': {
    summary: "Built-in tools that an agent can be given, by category",
    scope: 'agents:read',
    fields: [],
  },
  'agents.list': {
    summary: "Agents of the workspace",
    scope: 'agents:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'agents.promote': {
    summary: "Activate a version; a version with wider permissions needs a sign-in",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'agents.rules': {
    summary: "Permission rules of the tools of an agent",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'agents.run': {
    summary: "Send a message to an agent, in a new chat or an existing one",
    scope: 'agents:execute',
    fields: [
      {"name":"chat_id","in":"body","kind":"string"},
      {"name":"agent","in":"body","kind":"string"},
      {"name":"agent_ref","in":"body","kind":"string","description":"The name of `agent` in older clients; ignored if the new name is set"},
      {"name":"agent_id","in":"body","kind":"string"},
      {"name":"agent_version_id","in":"body","kind":"string"},
      {"name":"agent_config","in":"body","kind":"object"},
      {"name":"agent_name","in":"body","kind":"string"},
      {"name":"context","in":"body","kind":"object"},
      {"name":"input","in":"body","kind":"object","required":true},
      {"name":"stream","in":"body","kind":"boolean"},
    ],
  },
  'agents.set_visibility': {
    summary: "Change the visibility of an agent",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'agents.transfer': {
    summary: "Transfer an agent to another workspace",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string","required":true},
    ],
  },
  'agents.update': {
    summary: "Change some fields; a version in the body becomes the active one",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"title","in":"body","kind":"string"},
      {"name":"images","in":"body","kind":"object"},
      {"name":"project_id","in":"body","kind":"string"},
      {"name":"remote_id","in":"body","kind":"string"},
      {"name":"profile_id","in":"body","kind":"string"},
      {"name":"version","in":"body","kind":"object"},
    ],
  },
  'agents.versions': {
    summary: "Versions of an agent, newest first",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'apikeys.create': {
    summary: "Create a key; its value is returned only once",
    scope: 'apikeys:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"scope","in":"body","kind":"user|workspace"},
      {"name":"scopes","in":"body","kind":"array"},
      {"name":"expires_at","in":"body","kind":"string","description":"ISO timestamp in the future"},
    ],
  },
  'apikeys.list': {
    summary: "Keys of the workspace, masked; members see their own personal ones",
    scope: 'apikeys:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'apikeys.revoke': {
    summary: "Revoke a key immediately",
    scope: 'apikeys:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'apikeys.rotate': {
    summary: "Rotate a key; the previous value stays valid for a grace period",
    scope: 'apikeys:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"grace_seconds","in":"body","kind":"integer","description":"Seconds that the old value remains valid; default 86400, 0 revokes it at once"},
    ],
  },
  'apps.accept_license': {
    summary: "Accept the license of an app",
    scope: 'apps:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"license","in":"body","kind":"string","required":true},
    ],
  },
  'apps.delete': {
    summary: "Delete an app and release its ref",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'apps.deploy': {
    summary: "Create an app, or register a new version of an app",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"body","kind":"string","description":"Deploys a new version of this app"},
      {"name":"namespace","in":"body","kind":"string","description":"Only honored for platform administrators"},
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"agent_description","in":"body","kind":"string"},
      {"name":"category","in":"body","kind":"|image|video|audio|text|chat|3d|flow|decision|other|social|utilities|multimodal"},
      {"name":"images","in":"body","kind":"object"},
      {"name":"tags","in":"body","kind":"array"},
      {"name":"version","in":"body","kind":"object"},
      {"name":"preserve_current_version","in":"body","kind":"boolean","description":"Stages the version: the active version does not change"},
    ],
  },
  'apps.duplicate': {
    summary: "Copy an app into the own workspace",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'apps.get': {
    summary: "Get an app with its active version",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'apps.get_by_ref': {
    summary: "Get an app by its ref or alias",
    scope: 'apps:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version][:function]"},
    ],
  },
  'apps.license': {
    summary: "Get the license of an app as the caller accepted it",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'apps.list': {
    summary: "List the apps of the workspace",
    scope: 'apps:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'apps.patch': {
    summary: "Update fields of an app",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"agent_description","in":"body","kind":"string"},
      {"name":"category","in":"body","kind":"|image|video|audio|text|chat|3d|flow|decision|other|social|utilities|multimodal"},
      {"name":"images","in":"body","kind":"object"},
      {"name":"tags","in":"body","kind":"array"},
    ],
  },
  'apps.promote': {
    summary: "Set the active version of an app",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'apps.replace': {
    summary: "Replace the editable fields of an app",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"agent_description","in":"body","kind":"string"},
      {"name":"category","in":"body","kind":"|image|video|audio|text|chat|3d|flow|decision|other|social|utilities|multimodal"},
      {"name":"images","in":"body","kind":"object"},
      {"name":"tags","in":"body","kind":"array"},
    ],
  },
  'apps.set_status': {
    summary: "Change the lifecycle status of an app",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"status","in":"body","kind":"active|maintenance|deprecated|retired","required":true},
      {"name":"message","in":"body","kind":"string"},
    ],
  },
  'apps.set_visibility': {
    summary: "Change the visibility of an app",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|public","required":true},
    ],
  },
  'apps.transfer': {
    summary: "Transfer an app to another workspace",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string","required":true},
    ],
  },
  'apps.version': {
    summary: "Get a version of an app",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'apps.versions': {
    summary: "List the versions of an app",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'artifacts.content': {
    summary: "The source of an artifact",
    scope: 'artifacts:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'artifacts.delete': {
    summary: "Delete an artifact and free its ref",
    scope: 'artifacts:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'artifacts.get': {
    summary: "One artifact; viewers see its shared version",
    scope: 'artifacts:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'artifacts.get_by_ref': {
    summary: "An artifact by ref, with its shared version or the version that the ref pins",
    scope: 'artifacts:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version]"},
    ],
  },
  'artifacts.get_version': {
    summary: "One version of an artifact, by id, short id or number",
    scope: 'artifacts:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'artifacts.list': {
    summary: "Artifacts of the workspace",
    scope: 'artifacts:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'artifacts.publish': {
    summary: "Publish an artifact, or a new version of one",
    scope: 'artifacts:write',
    fields: [
      {"name":"name","in":"body","kind":"string"},
      {"name":"type","in":"body","kind":"html|markdown"},
      {"name":"title","in":"body","kind":"string","required":true},
      {"name":"content","in":"body","kind":"string","required":true},
      {"name":"content_encoding","in":"body","kind":"base64|utf-8|"},
      {"name":"label","in":"body","kind":"string"},
      {"name":"notes","in":"body","kind":"string"},
      {"name":"origin","in":"body","kind":"string"},
      {"name":"generated_by","in":"body","kind":"string"},
      {"name":"capabilities","in":"body","kind":"object"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"favicon","in":"body","kind":"string"},
      {"name":"images","in":"body","kind":"object"},
      {"name":"base_version_id","in":"body","kind":"string"},
      {"name":"force","in":"body","kind":"boolean"},
    ],
  },
  'artifacts.publish_version': {
    summary: "Publish a new version; refused if it was built on an older one",
    scope: 'artifacts:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"title","in":"body","kind":"string"},
      {"name":"content","in":"body","kind":"string","required":true},
      {"name":"content_encoding","in":"body","kind":"base64|utf-8|"},
      {"name":"label","in":"body","kind":"string"},
      {"name":"notes","in":"body","kind":"string"},
      {"name":"origin","in":"body","kind":"string"},
      {"name":"generated_by","in":"body","kind":"string"},
      {"name":"capabilities","in":"body","kind":"object"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"favicon","in":"body","kind":"string"},
      {"name":"images","in":"body","kind":"object"},
      {"name":"base_version_id","in":"body","kind":"string"},
      {"name":"force","in":"body","kind":"boolean"},
    ],
  },
  'artifacts.set_visibility': {
    summary: "Change the visibility of an artifact",
    scope: 'artifacts:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'artifacts.transfer': {
    summary: "Transfer an artifact to another workspace",
    scope: 'artifacts:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string","required":true},
    ],
  },
  'artifacts.update': {
    summary: "Change the texts of an artifact, or the version that viewers see",
    scope: 'artifacts:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"favicon","in":"body","kind":"string"},
      {"name":"images","in":"body","kind":"object"},
      {"name":"shared_version_id","in":"body","kind":"string","description":"Empty: viewers see the latest version again"},
    ],
  },
  'artifacts.version_content': {
    summary: "The source of one version",
    scope: 'artifacts:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'artifacts.versions': {
    summary: "Versions of an artifact, newest first",
    scope: 'artifacts:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'audit.list': {
    summary: "Audit log of the workspace",
    scope: 'teams:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'audit.verify': {
    summary: "Verify the whole audit log against its hash chain and signed checkpoints",
    scope: 'teams:read',
    fields: [],
  },
  'auth.link.send': {
    summary: "Send a sign-in link and code by mail",
    scope: 'public',
    fields: [
      {"name":"email","in":"body","kind":"string","required":true},
      {"name":"redirect_to","in":"body","kind":"string","description":"A URL or path of this app"},
    ],
  },
  'auth.link.verify': {
    summary: "Sign in with the token of a link, or with an address and its code",
    scope: 'public',
    fields: [
      {"name":"token","in":"body","kind":"string"},
      {"name":"email","in":"body","kind":"string"},
      {"name":"code","in":"body","kind":"string","description":"Six digits, or a recovery code of an authenticator"},
    ],
  },
  'auth.logout': {
    summary: "End the current session; without a session nothing happens",
    scope: 'optional',
    fields: [],
  },
  'auth.me': {
    summary: "The signed-in person and workspace; sign-ins only",
    scope: 'authenticated',
    fields: [],
  },
  'auth.oidc.callback': {
    summary: "Redirect target of the identity provider",
    scope: 'public',
    fields: [
      {"name":"state","in":"query","kind":"string"},
      {"name":"code","in":"query","kind":"string"},
      {"name":"error","in":"query","kind":"string"},
    ],
  },
  'auth.oidc.start': {
    summary: "Redirect a browser to the identity provider",
    scope: 'public',
    fields: [
      {"name":"redirect_to","in":"query","kind":"string","description":"A URL or path of this app"},
    ],
  },
  'auth.otp.verify': {
    summary: "Complete a sign-in with a code of the authenticator",
    scope: 'public',
    fields: [
      {"name":"challenge_token","in":"body","kind":"string","required":true},
      {"name":"code","in":"body","kind":"string","required":true,"description":"Six digits, or a recovery code of an authenticator"},
    ],
  },
  'auth.sessions.list': {
    summary: "The caller’s sign-in sessions",
    scope: 'user:read',
    fields: [],
  },
  'auth.sessions.revoke': {
    summary: "End one of the caller’s sessions",
    scope: 'user:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'auth.sessions.revoke_all': {
    summary: "End all sessions of the caller except the current one",
    scope: 'user:write',
    fields: [],
  },
  'auth.sessions.token': {
    summary: "A short-lived token for a program that acts for the signed-in person",
    scope: 'authenticated',
    fields: [
      {"name":"expires_in","in":"body","kind":"integer","description":"Seconds; default 900"},
      {"name":"scopes","in":"body","kind":"array"},
    ],
  },
  'auth.totp.confirm': {
    summary: "Confirm the authenticator; it is required at every following sign-in",
    scope: 'user:write',
    fields: [
      {"name":"code","in":"body","kind":"string","required":true,"description":"Six digits, or a recovery code of an authenticator"},
    ],
  },
  'auth.totp.enroll': {
    summary: "Create an authenticator secret, active after confirmation",
    scope: 'user:write',
    fields: [],
  },
  'auth.totp.recovery_codes': {
    summary: "Create new recovery codes; earlier ones stop working",
    scope: 'user:write',
    fields: [
      {"name":"code","in":"body","kind":"string","required":true,"description":"Six digits, or a recovery code of an authenticator"},
    ],
  },
  'auth.totp.remove': {
    summary: "Remove the authenticator",
    scope: 'user:write',
    fields: [
      {"name":"code","in":"body","kind":"string","required":true,"description":"Six digits, or a recovery code of an authenticator"},
    ],
  },
  'auth_providers.create': {
    summary: "Describe how to sign in to a service; a workspace provider includes its OAuth app",
    scope: 'credentials:write',
    fields: [
      {"name":"slug","in":"body","kind":"string","required":true},
      {"name":"display_name","in":"body","kind":"string","required":true},
      {"name":"specs","in":"body","kind":"array","required":true},
      {"name":"provider","in":"body","kind":"string","description":"Company slug; default: the slug itself"},
      {"name":"icon_url","in":"body","kind":"string"},
      {"name":"website","in":"body","kind":"string","description":"A domain or an https:// URL; www. is removed"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"docs_url","in":"body","kind":"string"},
      {"name":"how_it_works","in":"body","kind":"json","description":"Steps; a text is split into one step per line"},
      {"name":"connection_scope","in":"body","kind":"team|user"},
      {"name":"client_id","in":"body","kind":"string"},
      {"name":"client_secret","in":"body","kind":"string"},
      {"name":"scope","in":"body","kind":"team|platform"},
    ],
  },
  'auth_providers.delete': {
    summary: "Delete an auth provider and the secrets of its OAuth app",
    scope: 'credentials:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'auth_providers.get': {
    summary: "One auth provider",
    scope: 'credentials:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'auth_providers.hooks': {
    summary: "Names of the hooks that specs may use for non-standard services",
    scope: 'credentials:read',
    fields: [],
  },
  'auth_providers.list': {
    summary: "Ways to sign in to other services, from the workspace or the platform",
    scope: 'credentials:read',
    fields: [
      {"name":"scope","in":"query","kind":"|team|platform"},
    ],
  },
  'auth_providers.update': {
    summary: "Change an auth provider; omitted fields stay as they are",
    scope: 'credentials:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"slug","in":"body","kind":"string","description":"Cannot be changed: send the current value or omit it"},
      {"name":"display_name","in":"body","kind":"string"},
      {"name":"specs","in":"body","kind":"array"},
      {"name":"provider","in":"body","kind":"string","description":"Company slug; default: the slug itself"},
      {"name":"icon_url","in":"body","kind":"string"},
      {"name":"website","in":"body","kind":"string","description":"A domain or an https:// URL; www. is removed"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"docs_url","in":"body","kind":"string"},
      {"name":"how_it_works","in":"body","kind":"json","description":"Steps; a text is split into one step per line"},
      {"name":"connection_scope","in":"body","kind":"team|user"},
      {"name":"client_id","in":"body","kind":"string"},
      {"name":"client_secret","in":"body","kind":"string"},
      {"name":"scope","in":"body","kind":"team|platform"},
    ],
  },
  'billing.get': {
    summary: "Balance and status of the workspace's account",
    scope: 'billing:read',
    fields: [],
  },
  'billing.grant': {
    summary: "Credit a workspace",
    scope: 'admin:write',
    fields: [
      {"name":"team_id","in":"body","kind":"string","required":true},
      {"name":"amount","in":"body","kind":"integer","required":true,"description":"Microcents"},
      {"name":"notes","in":"body","kind":"string"},
    ],
  },
  'billing.resources': {
    summary: "Processor time, memory, tokens and bytes of runs, whether they cost anything or not",
    scope: 'billing:read',
    fields: [
      {"name":"from","in":"query","kind":"string","description":"RFC 3339 time or a date; default: 30 days before `to`"},
      {"name":"to","in":"query","kind":"string","description":"Exclusive; default: now"},
    ],
  },
  'billing.status': {
    summary: "Stop or resume the spending of a workspace",
    scope: 'admin:write',
    fields: [
      {"name":"team_id","in":"body","kind":"string","required":true},
      {"name":"status","in":"body","kind":"active|spend_locked|manual_hold|suspended","required":true},
    ],
  },
  'billing.summary': {
    summary: "Runs, failures, tokens and money by day, app, agent, flow and person, and failures by cause",
    scope: 'billing:read',
    fields: [
      {"name":"from","in":"query","kind":"string","description":"RFC 3339 time or a date; default: 30 days before `to`"},
      {"name":"to","in":"query","kind":"string","description":"Exclusive; default: now"},
    ],
  },
  'billing.transactions': {
    summary: "Transactions that changed the balance; their amounts add up to it",
    scope: 'billing:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'billing.usage': {
    summary: "Spending of the workspace by app and day",
    scope: 'billing:read',
    fields: [
      {"name":"from","in":"query","kind":"string","description":"RFC 3339 time or a date; default: 30 days before `to`"},
      {"name":"to","in":"query","kind":"string","description":"Exclusive; default: now"},
    ],
  },
  'budgets.create': {
    summary: "Limit the spending of a workspace, key, agent, flow or trigger per day or month",
    scope: 'billing:write',
    fields: [
      {"name":"subject_type","in":"body","kind":"workspace|api_key|agent|flow|trigger","required":true},
      {"name":"subject_id","in":"body","kind":"string","description":"Not needed for the workspace itself"},
      {"name":"period","in":"body","kind":"day|month","required":true},
      {"name":"limit","in":"body","kind":"integer","required":true,"description":"Microcents"},
      {"name":"enforcement","in":"body","kind":"block|warn","description":"Default: block"},
    ],
  },
  'budgets.delete': {
    summary: "Remove a budget",
    scope: 'billing:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'budgets.list': {
    summary: "Spending limits, with the amounts spent and reserved",
    scope: 'billing:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'budgets.update': {
    summary: "Change the limit of a budget, or whether it blocks",
    scope: 'billing:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","description":"Microcents"},
      {"name":"enforcement","in":"body","kind":"block|warn"},
    ],
  },
  'chat_messages.cancel': {
    summary: "Delete a message that is still queued",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'chat_messages.stream': {
    summary: "Stream one message until it is complete",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"last_event_id","in":"query","kind":"string"},
    ],
  },
  'chats.add_rule': {
    summary: "Add a rule; an allow rule needs a sign-in",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"effect","in":"body","kind":"allow|ask|deny","required":true},
      {"name":"kind","in":"body","kind":"Tool|RemoteExec|MCP"},
      {"name":"selector","in":"body","kind":"string"},
      {"name":"specifier","in":"body","kind":"string"},
      {"name":"label","in":"body","kind":"string"},
    ],
  },
  'chats.create': {
    summary: "Create a chat with an agent without sending a message",
    scope: 'conversations:write',
    fields: [
      {"name":"agent","in":"body","kind":"string"},
      {"name":"name","in":"body","kind":"string"},
      {"name":"context","in":"body","kind":"object"},
    ],
  },
  'chats.delete': {
    summary: "Delete a chat and stop its runs",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'chats.delete_rule': {
    summary: "Delete a rule; deleting an ask or deny rule needs a sign-in",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"ruleId","in":"path","kind":"string","required":true},
    ],
  },
  'chats.fork': {
    summary: "Fork a chat: a new chat with the transcript up to a message",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"message_id","in":"body","kind":"string","required":true},
    ],
  },
  'chats.get': {
    summary: "One chat without its messages",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'chats.list': {
    summary: "Chats of the workspace; filter by parent_id for those of sub-agents",
    scope: 'conversations:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'chats.messages': {
    summary: "Messages of a chat, newest first",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'chats.rules': {
    summary: "Permission rules of the tools in a chat",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'chats.send': {
    summary: "Send a message in a chat; while the agent is busy, the message is queued for its next turn",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"message","in":"body","kind":"string"},
      {"name":"attachments","in":"body","kind":"array"},
    ],
  },
  'chats.set_agent': {
    summary: "Continue a chat with another agent",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"agent","in":"body","kind":"string","required":true},
    ],
  },
  'chats.set_visibility': {
    summary: "Change the visibility of a chat",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|public","required":true},
    ],
  },
  'chats.settings': {
    summary: "Change the settings of a chat; allowing tools without approval needs a sign-in",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"visibility","in":"body","kind":"private|team|public"},
      {"name":"allow_all_tools","in":"body","kind":"boolean"},
      {"name":"disable_hooks","in":"body","kind":"boolean"},
      {"name":"memory","in":"body","kind":"object"},
    ],
  },
  'chats.status': {
    summary: "Poll the status of a chat",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'chats.stop': {
    summary: "Stop the active run of a chat",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'chats.stream': {
    summary: "Stream a chat across its turns",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'chats.trace': {
    summary: "The history of a chat as a graph of steps",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'chats.update': {
    summary: "Change some fields of a chat",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"visibility","in":"body","kind":"private|team|public"},
      {"name":"project_id","in":"body","kind":"string"},
    ],
  },
  'clouds.delete': {
    summary: "Remove a cloud that has no machines left",
    scope: 'admin:write',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
      {"name":"abandon","in":"query","kind":"boolean","description":"Ends the rentals of its machines and gives the machines up without an answer of the broker. Machines that still exist must be removed at the provider"},
    ],
  },
  'clouds.list': {
    summary: "List the clouds",
    scope: 'admin:read',
    fields: [],
  },
  'clouds.refresh': {
    summary: "Query a cloud’s broker for its offers",
    scope: 'admin:write',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
    ],
  },
  'clouds.set': {
    summary: "Add or replace a cloud",
    scope: 'admin:write',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
      {"name":"kind","in":"body","kind":"http|local","required":true},
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"logo_url","in":"body","kind":"string"},
      {"name":"url","in":"body","kind":"string","description":"URL of the broker; required for kind http"},
      {"name":"token","in":"body","kind":"string","description":"Unchanged if omitted in an update"},
      {"name":"enabled","in":"body","kind":"boolean"},
    ],
  },
  'clouds.set_types': {
    summary: "Replace all offers of a cloud",
    scope: 'admin:write',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
      {"name":"types","in":"body","kind":"array","required":true},
    ],
  },
  'connectors.complete': {
    summary: "Deploy the tools that the `discovery` function of a connector has read from its npm package",
    scope: 'apps:write',
    fields: [
      {"name":"task_id","in":"body","kind":"string","required":true,"description":"The run of the function `discovery`"},
      {"name":"accept_license","in":"body","kind":"boolean","description":"Required for a package that states no license"},
      {"name":"promote","in":"body","kind":"boolean","description":"Activates a version that removes or changes functions; default: it is staged"},
    ],
  },
  'connectors.create': {
    summary: "Create an app from an OpenAPI document or an MCP server on npm, or a new version of that app",
    scope: 'apps:write',
    fields: [
      {"name":"name","in":"body","kind":"string","description":"Default: from the title or the package"},
      {"name":"openapi","in":"body","kind":"object"},
      {"name":"npm","in":"body","kind":"object"},
      {"name":"promote","in":"body","kind":"boolean","description":"Activates a version that removes or changes functions; default: it is staged"},
    ],
  },
  'credentials.add_scopes': {
    summary: "Request additional scopes with a new consent",
    scope: 'credentials:write',
    fields: [
      {"name":"provider","in":"path","kind":"string","required":true},
      {"name":"scopes","in":"body","kind":"array","required":true},
    ],
  },
  'credentials.available': {
    summary: "Providers that can be connected now",
    scope: 'credentials:read',
    fields: [],
  },
  'credentials.capabilities': {
    summary: "List the values that connections provide to apps",
    scope: 'credentials:read',
    fields: [],
  },
  'credentials.check': {
    summary: "Check whether the secrets and connections that an app needs exist",
    scope: 'credentials:read',
    fields: [
      {"name":"secrets","in":"body","kind":"array"},
      {"name":"integrations","in":"body","kind":"array"},
      {"name":"credentials","in":"body","kind":"array"},
    ],
  },
  'credentials.complete_oauth': {
    summary: "Complete a sign-in with the parameters of the redirect",
    scope: 'credentials:write',
    fields: [
      {"name":"provider","in":"body","kind":"string","required":true},
      {"name":"type","in":"body","kind":"oauth|mcp"},
      {"name":"code","in":"body","kind":"string"},
      {"name":"state","in":"body","kind":"string","required":true},
      {"name":"code_verifier","in":"body","kind":"string"},
      {"name":"iss","in":"body","kind":"string","description":"As the service returned it (RFC 9207)"},
      {"name":"error","in":"body","kind":"string","description":"As the service returned it instead of a code"},
      {"name":"error_description","in":"body","kind":"string"},
    ],
  },
  'credentials.configs': {
    summary: "All providers, with the workspace's connections",
    scope: 'credentials:read',
    fields: [],
  },
  'credentials.connect': {
    summary: "Connect a service immediately with a key, or return the address of a sign-in",
    scope: 'credentials:write',
    fields: [
      {"name":"provider","in":"body","kind":"string","required":true},
      {"name":"type","in":"body","kind":"oauth|api_key|mcp|service_account|wif|http","required":true,"description":"http: user name and password, or a bearer token"},
      {"name":"scopes","in":"body","kind":"array"},
      {"name":"api_key","in":"body","kind":"string"},
      {"name":"metadata","in":"body","kind":"object"},
      {"name":"connection_scope","in":"body","kind":"|user|team|org|platform"},
    ],
  },
  'credentials.disconnect': {
    summary: "Disconnect; tokens are destroyed here and revoked at the service",
    scope: 'credentials:write',
    fields: [
      {"name":"provider","in":"path","kind":"string","required":true},
    ],
  },
  'credentials.get': {
    summary: "The connection that the caller would use for a provider slug, or a connection by id",
    scope: 'credentials:read',
    fields: [
      {"name":"provider","in":"path","kind":"string","required":true},
    ],
  },
  'credentials.list': {
    summary: "Connections of the workspace and their OAuth apps, without tokens",
    scope: 'credentials:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'credentials.set_app': {
    summary: "Set the OAuth app of the workspace, or the app that every workspace shares",
    scope: 'credentials:write',
    fields: [
      {"name":"provider","in":"path","kind":"string","required":true},
      {"name":"values","in":"body","kind":"object","required":true},
      {"name":"scope","in":"body","kind":"team|platform","description":"platform: for every workspace"},
    ],
  },
  'dev.mail': {
    summary: "The last mails that were printed instead of sent, in development mode only",
    scope: 'public',
    fields: [],
  },
  'device.approve': {
    summary: "Approve the sign-in of a device",
    scope: 'authenticated',
    fields: [
      {"name":"code","in":"body","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string"},
      {"name":"scopes","in":"body","kind":"array","description":"Default: full access"},
      {"name":"expires_in","in":"body","kind":"integer","description":"Seconds; default 30 days, capped at one year"},
    ],
  },
  'device.claim': {
    summary: "Exchange the six digits shown after approval, for devices that cannot poll",
    scope: 'public',
    fields: [
      {"name":"code","in":"body","kind":"string","required":true},
      {"name":"code_verifier","in":"body","kind":"string","required":true},
    ],
  },
  'device.deny': {
    summary: "Deny the sign-in of a device",
    scope: 'authenticated',
    fields: [
      {"name":"code","in":"body","kind":"string","required":true},
    ],
  },
  'device.look_up': {
    summary: "Check whether a short code is pending",
    scope: 'public',
    fields: [
      {"name":"code","in":"path","kind":"string","required":true},
    ],
  },
  'device.poll': {
    summary: "Check whether the sign-in was approved; the first poll afterwards receives the credential, once",
    scope: 'public',
    fields: [
      {"name":"device_code","in":"path","kind":"string","required":true},
    ],
  },
  'device.start': {
    summary: "Request a sign-in that a person approves in a browser",
    scope: 'public',
    fields: [
      {"name":"token_kind","in":"body","kind":"session|api_key","description":"Default: `api_key`"},
      {"name":"code_challenge","in":"body","kind":"string","description":"SHA-256 of a code verifier, base64url (RFC 7636)"},
      {"name":"code_challenge_method","in":"body","kind":"S256"},
      {"name":"scopes","in":"body","kind":"array","description":"The scopes that the device needs: the approval page shows exactly these"},
      {"name":"team_id","in":"body","kind":"string","description":"The workspace that the approval page preselects for its members"},
    ],
  },
  'engines.create': {
    summary: "Rent a machine and start an engine on it; the time is paid in advance",
    scope: 'engines:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"end_time","in":"body","kind":"string","required":true,"description":"End of the rental, 1 hour to 30 days from now"},
      {"name":"instance_type","in":"body","kind":"object","required":true},
    ],
  },
  'engines.delete': {
    summary: "Stop and delete an engine",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'engines.drain': {
    summary: "Drain an engine: it finishes its tasks and stops",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'engines.extend': {
    summary: "Pay for more time on a rented engine",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"end_time","in":"body","kind":"string"},
      {"name":"hours","in":"body","kind":"number","description":"Default: 1"},
    ],
  },
  'engines.get': {
    summary: "Get an engine",
    scope: 'engines:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'engines.list': {
    summary: "List engines",
    scope: 'engines:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'engines.match': {
    summary: "List the workers that could run something with these requirements",
    scope: 'optional',
    fields: [
      {"name":"resources","in":"body","kind":"object"},
      {"name":"app_ids","in":"body","kind":"array"},
      {"name":"agent_ids","in":"body","kind":"array"},
    ],
  },
  'engines.register': {
    summary: "Register an engine and get its workers; normally called by the engine program",
    scope: 'engines:write',
    fields: [
      {"name":"local_engine_state","in":"body","kind":"object","required":true},
      {"name":"api_url","in":"body","kind":"json"},
      {"name":"system_info","in":"body","kind":"json"},
      {"name":"worker_config","in":"body","kind":"json"},
    ],
  },
  'engines.restart': {
    summary: "Drain an engine and restart it",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'engines.stop': {
    summary: "Stop an engine immediately; its tasks fail",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'engines.stream': {
    summary: "Stream an engine",
    scope: 'engines:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"last_event_id","in":"query","kind":"string"},
    ],
  },
  'engines.transfer': {
    summary: "Transfer an engine to another workspace",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string","required":true},
    ],
  },
  'engines.types': {
    summary: "List the machines for engines, with every provider that has them in stock",
    scope: 'engines:read',
    fields: [],
  },
  'engines.update': {
    summary: "Rename an engine or plan another worker layout",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"config","in":"body","kind":"object"},
    ],
  },
  'engines.upgrade': {
    summary: "Drain an engine, install a version and restart it",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"version","in":"body","kind":"string"},
    ],
  },
  'engines.visibility': {
    summary: "Change the visibility of an engine",
    scope: 'engines:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'entitlements.list': {
    summary: "Entitlements of this workspace from its plan, add-ons and the operator",
    scope: 'authenticated',
    fields: [],
  },
  'entitlements.usage': {
    summary: "Each resource with its limit and usage",
    scope: 'authenticated',
    fields: [],
  },
  'events.stream': {
    summary: "Stream changes in the workspace",
    scope: 'teams:read',
    fields: [],
  },
  'execs.get': {
    summary: "One command",
    scope: 'remotes:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'execs.input': {
    summary: "Write to the standard input or terminal of a command",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"data","in":"body","kind":"string","description":"base64, at most 64 KiB decoded"},
      {"name":"eof","in":"body","kind":"boolean","description":"End of the input"},
    ],
  },
  'execs.list': {
    summary: "Commands that you started, or that ran on your remotes",
    scope: 'remotes:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'execs.output': {
    summary: "Output of a command after a chunk, in order; at most 2000 chunks",
    scope: 'remotes:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"after_seq","in":"query","kind":"integer"},
      {"name":"wait_ms","in":"query","kind":"integer","description":"Milliseconds to wait for more output while the command runs"},
    ],
  },
  'execs.resize': {
    summary: "Resize the terminal of a command",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"cols","in":"body","kind":"integer","required":true},
      {"name":"rows","in":"body","kind":"integer","required":true},
    ],
  },
  'execs.signal': {
    summary: "Kill a command; no effect if it has ended",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'execs.start': {
    summary: "Run a command on a remote; read its output separately",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"command","in":"body","kind":"json"},
      {"name":"args","in":"body","kind":"json"},
      {"name":"cwd","in":"body","kind":"json"},
      {"name":"env","in":"body","kind":"json"},
      {"name":"pty","in":"body","kind":"json"},
      {"name":"timeout_ms","in":"body","kind":"json"},
      {"name":"stdin","in":"body","kind":"json"},
      {"name":"cols","in":"body","kind":"json"},
      {"name":"rows","in":"body","kind":"json"},
    ],
  },
  'files.create': {
    summary: "Announce files; each answer has the URL to PUT its bytes to",
    scope: 'files:write',
    fields: [
      {"name":"files","in":"body","kind":"array","required":true},
      {"name":"category","in":"body","kind":"files|apps|outputs|artifacts|avatars"},
    ],
  },
  'files.delete': {
    summary: "Delete a file permanently; its address then answers 404",
    scope: 'files:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'files.get': {
    summary: "One file record",
    scope: 'files:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'files.list': {
    summary: "Files that the caller may see, newest first",
    scope: 'files:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'files.set_visibility': {
    summary: "Change the visibility of a file in lists and by id; its address is readable regardless of visibility",
    scope: 'files:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'flow_runs.authority': {
    summary: "The authority of a flow run: who started it, with which scopes, and what its tasks received",
    scope: 'flows:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flow_runs.cancel': {
    summary: "Cancel a flow run; no effect on a finished one",
    scope: 'flows:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flow_runs.clone': {
    summary: "Create a flow from the version that ran",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flow_runs.create': {
    summary: "Run a flow",
    scope: 'flows:execute',
    fields: [
      {"name":"flow","in":"body","kind":"string","required":true},
      {"name":"input","in":"body","kind":"object","required":true},
      {"name":"version_id","in":"body","kind":"string"},
      {"name":"webhook","in":"body","kind":"string"},
      {"name":"fail_on_error","in":"body","kind":"boolean"},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public"},
    ],
  },
  'flow_runs.events': {
    summary: "The log of a flow run, from which its state can be rebuilt",
    scope: 'flows:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"after","in":"query","kind":"integer","description":"Number of the last received event"},
      {"name":"limit","in":"query","kind":"integer","description":"Default 1000"},
    ],
  },
  'flow_runs.get': {
    summary: "One flow run with the status of every node",
    scope: 'flows:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flow_runs.list': {
    summary: "Flow runs of the workspace",
    scope: 'flows:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'flow_runs.patch': {
    summary: "Change the metadata of a flow run",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"metadata","in":"body","kind":"object"},
    ],
  },
  'flow_runs.replay': {
    summary: "Repeat a finished flow run from its record, without starting anything",
    scope: 'flows:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"version_id","in":"body","kind":"string","description":"Another version of the flow; default: the version that ran"},
    ],
  },
  'flow_runs.rerun': {
    summary: "Run again from the failed nodes or a given node, with earlier results",
    scope: 'flows:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"node_id","in":"body","kind":"string","description":"The node to start from; default: the failed nodes"},
    ],
  },
  'flow_runs.resume': {
    summary: "Continue a flow run at a node that waits for this URL; works once",
    scope: 'public',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"node","in":"query","kind":"string","required":true},
      {"name":"token","in":"query","kind":"string","required":true},
    ],
  },
  'flow_runs.set_visibility': {
    summary: "Change the visibility of a flow run",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'flow_runs.stream': {
    summary: "Stream a flow run until it ends",
    scope: 'flows:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"last_event_id","in":"query","kind":"string"},
    ],
  },
  'flow_runs.stream_tasks': {
    summary: "Stream the tasks of a flow run until it ends",
    scope: 'flows:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"last_event_id","in":"query","kind":"string"},
    ],
  },
  'flows.act': {
    summary: "Apply actions to the draft graph in order, up to the first failure",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"actions","in":"body","kind":"array","required":true},
    ],
  },
  'flows.create': {
    summary: "Create a flow with an empty draft graph",
    scope: 'flows:write',
    fields: [
      {"name":"name","in":"body","kind":"string"},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
    ],
  },
  'flows.delete': {
    summary: "Delete a flow permanently",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flows.deploy': {
    summary: "Publish the draft and deploy it as an app",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"category","in":"body","kind":"image|video|audio|text|chat|3d|flow|decision|other|social|utilities|multimodal"},
      {"name":"preserve_current_version","in":"body","kind":"boolean"},
    ],
  },
  'flows.duplicate': {
    summary: "Copy a flow into the caller’s workspace",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flows.evaluate': {
    summary: "Evaluate an expression of a flow with an input, with the step limit of a run",
    scope: 'flows:write',
    fields: [
      {"name":"expression","in":"body","kind":"string","required":true},
      {"name":"input","in":"body","kind":"object"},
    ],
  },
  'flows.get': {
    summary: "One flow with its draft and published versions",
    scope: 'flows:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flows.get_by_ref': {
    summary: "A flow by ref",
    scope: 'flows:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true},
    ],
  },
  'flows.list': {
    summary: "Flows of the workspace",
    scope: 'flows:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'flows.patch': {
    summary: "Change some fields of a flow",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"card_image","in":"body","kind":"string"},
      {"name":"thumbnail","in":"body","kind":"string"},
      {"name":"banner_image","in":"body","kind":"string"},
    ],
  },
  'flows.publish': {
    summary: "Publish the draft as a new immutable version",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flows.replace': {
    summary: "Replace the editable fields of a flow, and its draft graph if given",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"card_image","in":"body","kind":"string"},
      {"name":"thumbnail","in":"body","kind":"string"},
      {"name":"banner_image","in":"body","kind":"string"},
      {"name":"nodes","in":"body","kind":"array"},
      {"name":"edges","in":"body","kind":"array"},
      {"name":"node_data","in":"body","kind":"object"},
      {"name":"input","in":"body","kind":"object"},
      {"name":"input_schema","in":"body","kind":"json"},
      {"name":"output_schema","in":"body","kind":"json"},
      {"name":"output_mappings","in":"body","kind":"object"},
      {"name":"viewport","in":"body","kind":"object"},
    ],
  },
  'flows.set_visibility': {
    summary: "Change the visibility of a flow",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|public|unlisted","required":true},
    ],
  },
  'flows.stream': {
    summary: "Stream a flow while users edit it",
    scope: 'flows:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'flows.transfer': {
    summary: "Transfer a flow to another workspace",
    scope: 'flows:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string","required":true},
    ],
  },
  'flows.versions': {
    summary: "Draft and published snapshots of a flow",
    scope: 'flows:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'health.get': {
    summary: "Status of servers, engines, queue, jobs, disk and database of the installation",
    scope: 'admin:read',
    fields: [],
  },
  'instances.price_history': {
    summary: "Get the daily prices of a kind of machine",
    scope: 'public',
    fields: [
      {"name":"gpu_type","in":"query","kind":"string","required":true},
      {"name":"num_gpus","in":"query","kind":"integer","description":"Default: 1"},
      {"name":"days","in":"query","kind":"integer","description":"Default: 90; at most 365"},
    ],
  },
  'instances.types': {
    summary: "List machines with GPUs for rent, with prices and stock",
    scope: 'public',
    fields: [
      {"name":"gpu_type","in":"query","kind":"string"},
      {"name":"num_gpus","in":"query","kind":"integer"},
      {"name":"cloud","in":"query","kind":"string"},
      {"name":"region","in":"query","kind":"string"},
      {"name":"available","in":"query","kind":"boolean"},
      {"name":"catalog_instance_type","in":"query","kind":"string"},
      {"name":"rental_type","in":"query","kind":"on_demand|spot"},
      {"name":"sort","in":"query","kind":"string","description":"`price` or `-price`; other values are ignored"},
    ],
  },
  'interrupts.get': {
    summary: "One interrupt",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'interrupts.resolve': {
    summary: "Allow or deny an interrupt",
    scope: 'approvals:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"decision","in":"body","kind":"allow|deny"},
      {"name":"resolution","in":"body","kind":"allow|deny"},
      {"name":"data","in":"body","kind":"json"},
    ],
  },
  'invites.accept': {
    summary: "Become a member",
    scope: 'user:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"token","in":"body","kind":"string"},
    ],
  },
  'invites.decline': {
    summary: "Decline an invite",
    scope: 'user:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"token","in":"body","kind":"string"},
    ],
  },
  'invites.info': {
    summary: "The workspace and inviter of a mailed invite",
    scope: 'public',
    fields: [
      {"name":"token","in":"query","kind":"string","required":true},
    ],
  },
  'invites.list': {
    summary: "The caller's own pending invites",
    scope: 'user:read',
    fields: [],
  },
  'ip_blocks.create': {
    summary: "Block an address or a network on every server",
    scope: 'admin:write',
    fields: [
      {"name":"network","in":"body","kind":"string","required":true},
      {"name":"reason","in":"body","kind":"string"},
    ],
  },
  'ip_blocks.delete': {
    summary: "Lift a block",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'ip_blocks.list': {
    summary: "Blocked addresses; their requests are rejected before authentication",
    scope: 'admin:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'knowledge.confirm': {
    summary: "Confirm that a decaying entry is still correct",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'knowledge.create': {
    summary: "Create an entry with its first version",
    scope: 'knowledge:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"description","in":"body","kind":"string","required":true},
      {"name":"title","in":"body","kind":"string"},
      {"name":"repo_url","in":"body","kind":"string"},
      {"name":"type","in":"body","kind":"skill|concept|observation|reference|preference|person|project|agent-config"},
      {"name":"lifecycle","in":"body","kind":"permanent|decay"},
      {"name":"version","in":"body","kind":"object","required":true},
    ],
  },
  'knowledge.delete': {
    summary: "Delete an entry and free its ref",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'knowledge.duplicate': {
    summary: "Fork an entry into the caller’s workspace",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'knowledge.get': {
    summary: "One entry with its current version",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"include","in":"query","kind":"string","description":"`content`"},
    ],
  },
  'knowledge.get_by_ref': {
    summary: "An entry by ref, with its current version or the one that the ref pins",
    scope: 'knowledge:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version]"},
      {"name":"include","in":"query","kind":"string","description":"`content`"},
    ],
  },
  'knowledge.get_version': {
    summary: "One version of an entry",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'knowledge.get_version_by_ref': {
    summary: "One version of an entry, by ref",
    scope: 'knowledge:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'knowledge.lineage': {
    summary: "Parent, siblings, forks and duplicates of an entry",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'knowledge.list': {
    summary: "Knowledge entries of the workspace",
    scope: 'knowledge:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'knowledge.references': {
    summary: "Resources that an entry mentions, and entries that mention it",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'knowledge.set_visibility': {
    summary: "Change the visibility of an entry",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'knowledge.transfer': {
    summary: "Transfer an entry to another workspace",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string","required":true},
    ],
  },
  'knowledge.update': {
    summary: "Publish a new version of an entry; with If-Match, refused if the entry has changed",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"description","in":"body","kind":"string"},
      {"name":"title","in":"body","kind":"string"},
      {"name":"repo_url","in":"body","kind":"string"},
      {"name":"type","in":"body","kind":"skill|concept|observation|reference|preference|person|project|agent-config"},
      {"name":"lifecycle","in":"body","kind":"permanent|decay"},
      {"name":"version","in":"body","kind":"object"},
    ],
  },
  'knowledge.versions': {
    summary: "Versions of an entry, newest first",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'mcp_servers.create': {
    summary: "Register an MCP server; without an auth_type the server is asked how to sign in",
    scope: 'credentials:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"server_url","in":"body","kind":"string","required":true},
      {"name":"slug","in":"body","kind":"string"},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"icon_url","in":"body","kind":"string"},
      {"name":"auth_type","in":"body","kind":"oauth|api_key|none|","description":"Default: determined by asking the server"},
      {"name":"oauth_client_id","in":"body","kind":"string","description":"A manually registered client, for servers without client registration"},
      {"name":"default_scopes","in":"body","kind":"array"},
      {"name":"documentation_url","in":"body","kind":"string"},
    ],
  },
  'mcp_servers.delete': {
    summary: "Delete an MCP server and the connections to it",
    scope: 'credentials:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'mcp_servers.get': {
    summary: "One MCP server of the workspace",
    scope: 'credentials:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'mcp_servers.list': {
    summary: "MCP servers of the workspace",
    scope: 'credentials:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'mcp_servers.update': {
    summary: "Change some fields of an MCP server; a new URL needs a new connection",
    scope: 'credentials:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"server_url","in":"body","kind":"string"},
      {"name":"slug","in":"body","kind":"string"},
      {"name":"title","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"icon_url","in":"body","kind":"string"},
      {"name":"auth_type","in":"body","kind":"oauth|api_key|none|","description":"Default: determined by asking the server"},
      {"name":"oauth_client_id","in":"body","kind":"string","description":"A manually registered client, for servers without client registration"},
      {"name":"default_scopes","in":"body","kind":"array"},
      {"name":"documentation_url","in":"body","kind":"string"},
    ],
  },
  'mcps.call_tool': {
    summary: "Call a tool of an MCP server; the body is the arguments, or the arguments and answers to requested input",
    scope: 'agents:execute',
    fields: [
      {"name":"slug","in":"path","kind":"string","required":true},
      {"name":"tool","in":"path","kind":"string","required":true},
    ],
  },
  'mcps.get': {
    summary: "One MCP server by its slug: the workspace’s own, else the directory’s",
    scope: 'optional',
    fields: [
      {"name":"slug","in":"path","kind":"string","required":true},
    ],
  },
  'mcps.list': {
    summary: "The public directory of MCP servers",
    scope: 'optional',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'mcps.tools': {
    summary: "Tools of an MCP server for the caller’s connection; cached for five minutes",
    scope: 'credentials:read',
    fields: [
      {"name":"slug","in":"path","kind":"string","required":true},
    ],
  },
  'me.get': {
    summary: "The caller and its workspace",
    scope: 'authenticated',
    fields: [],
  },
  'me.stats': {
    summary: "Number of entries that the caller wrote in the workspace, and that programs wrote for the caller",
    scope: 'authenticated',
    fields: [],
  },
  'me.update': {
    summary: "Change the caller's own name, picture or default workspace",
    scope: 'user:write',
    fields: [
      {"name":"name","in":"body","kind":"string"},
      {"name":"full_name","in":"body","kind":"string"},
      {"name":"avatar_url","in":"body","kind":"string"},
      {"name":"default_team_id","in":"body","kind":"string"},
    ],
  },
  'members.add': {
    summary: "Add a person who has an account; others need an invite",
    scope: 'teams:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"email","in":"body","kind":"string","required":true},
      {"name":"role","in":"body","kind":"owner|admin|member","required":true},
    ],
  },
  'members.list': {
    summary: "The members of a workspace",
    scope: 'teams:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'members.remove': {
    summary: "Remove a member, or leave; their personal keys of the workspace end",
    scope: 'teams:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"userId","in":"path","kind":"string","required":true},
    ],
  },
  'members.set_role': {
    summary: "Change the role of a member",
    scope: 'teams:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"userId","in":"path","kind":"string","required":true},
      {"name":"role","in":"body","kind":"owner|admin|member","required":true},
    ],
  },
  'oauth.client_metadata': {
    summary: "Client metadata for an authorization server; the address is the client id",
    scope: 'public',
    fields: [
      {"name":"slug","in":"path","kind":"string","required":true},
    ],
  },
  'oauth.device_authorization': {
    summary: "RFC 8628: request a session token that a person approves in a browser",
    scope: 'public',
    fields: [
      {"name":"scope","in":"body","kind":"string","description":"Scopes that the approval page preselects, separated by spaces; unknown ones are ignored"},
    ],
  },
  'oauth.metadata': {
    summary: "RFC 8414: addresses of the OAuth endpoints",
    scope: 'public',
    fields: [],
  },
  'oauth.protected_resource': {
    summary: "RFC 9728: the authorization server of /mcp",
    scope: 'public',
    fields: [],
  },
  'oauth.register': {
    summary: "RFC 7591: register an OAuth client",
    scope: 'public',
    fields: [
      {"name":"redirect_uris","in":"body","kind":"array","required":true},
      {"name":"client_name","in":"body","kind":"string"},
      {"name":"client_uri","in":"body","kind":"string"},
    ],
  },
  'oauth.revoke': {
    summary: "RFC 7009: revoke a session token or an API key by presenting it",
    scope: 'public',
    fields: [
      {"name":"token","in":"body","kind":"string","required":true},
    ],
  },
  'oauth.token': {
    summary: "RFC 6749, 8628: exchange an authorization code or an approved device code for a token",
    scope: 'public',
    fields: [
      {"name":"grant_type","in":"body","kind":"string","required":true,"description":"authorization_code or urn:ietf:params:oauth:grant-type:device_code"},
      {"name":"device_code","in":"body","kind":"string"},
      {"name":"code","in":"body","kind":"string"},
      {"name":"client_id","in":"body","kind":"string"},
      {"name":"redirect_uri","in":"body","kind":"string"},
      {"name":"code_verifier","in":"body","kind":"string"},
    ],
  },
  'openai.cancel_response': {
    summary: "Stop a response that is being written",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'openai.chat_completion': {
    summary: "Answer a conversation, for OpenAI clients",
    scope: 'agents:execute',
    fields: [
      {"name":"model","in":"body","kind":"string","required":true,"description":"An agent (`acme/support`, `acme/support@version`), or a model app (`millrace/openai-chat:gpt-4o`)"},
      {"name":"messages","in":"body","kind":"array","required":true},
      {"name":"temperature","in":"body","kind":"number"},
      {"name":"top_p","in":"body","kind":"number"},
      {"name":"seed","in":"body","kind":"integer"},
      {"name":"user","in":"body","kind":"string"},
      {"name":"store","in":"body","kind":"boolean"},
      {"name":"metadata","in":"body","kind":"object"},
      {"name":"stream","in":"body","kind":"boolean"},
      {"name":"n","in":"body","kind":"integer","description":"Only 1 is supported"},
      {"name":"max_tokens","in":"body","kind":"integer"},
      {"name":"max_completion_tokens","in":"body","kind":"integer"},
      {"name":"frequency_penalty","in":"body","kind":"number"},
      {"name":"presence_penalty","in":"body","kind":"number"},
      {"name":"stop","in":"body","kind":"json"},
      {"name":"reasoning_effort","in":"body","kind":"string"},
      {"name":"response_format","in":"body","kind":"object"},
      {"name":"tools","in":"body","kind":"array"},
      {"name":"tool_choice","in":"body","kind":"json"},
      {"name":"stream_options","in":"body","kind":"object"},
    ],
  },
  'openai.create_file': {
    summary: "Upload a file as multipart/form-data, for OpenAI clients",
    scope: 'files:write',
    fields: [],
  },
  'openai.create_response': {
    summary: "Answer an input, for clients of the responses API",
    scope: 'agents:execute',
    fields: [
      {"name":"model","in":"body","kind":"string","required":true,"description":"An agent (`acme/support`, `acme/support@version`), or a model app (`millrace/openai-chat:gpt-4o`)"},
      {"name":"input","in":"body","kind":"json"},
      {"name":"temperature","in":"body","kind":"number"},
      {"name":"top_p","in":"body","kind":"number"},
      {"name":"seed","in":"body","kind":"integer"},
      {"name":"user","in":"body","kind":"string"},
      {"name":"store","in":"body","kind":"boolean"},
      {"name":"metadata","in":"body","kind":"object"},
      {"name":"stream","in":"body","kind":"boolean"},
      {"name":"instructions","in":"body","kind":"string"},
      {"name":"previous_response_id","in":"body","kind":"string"},
      {"name":"max_output_tokens","in":"body","kind":"integer"},
      {"name":"reasoning","in":"body","kind":"object"},
      {"name":"text","in":"body","kind":"object"},
      {"name":"tools","in":"body","kind":"array"},
      {"name":"tool_choice","in":"body","kind":"json"},
    ],
  },
  'openai.delete_file': {
    summary: "Delete a file permanently",
    scope: 'files:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'openai.delete_response': {
    summary: "Delete a response with its chat",
    scope: 'conversations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'openai.embeddings': {
    summary: "Vectors of texts, from the model that the search uses",
    scope: 'apps:execute',
    fields: [
      {"name":"model","in":"body","kind":"string","required":true,"description":"An agent (`acme/support`, `acme/support@version`), or a model app (`millrace/openai-chat:gpt-4o`)"},
      {"name":"input","in":"body","kind":"json","required":true},
      {"name":"encoding_format","in":"body","kind":"float|base64"},
      {"name":"user","in":"body","kind":"string"},
    ],
  },
  'openai.file': {
    summary: "One file for OpenAI clients",
    scope: 'files:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'openai.file_content': {
    summary: "Redirect to the content of a file",
    scope: 'files:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'openai.files': {
    summary: "Files for OpenAI clients, newest first",
    scope: 'files:read',
    fields: [
      {"name":"limit","in":"query","kind":"integer"},
      {"name":"after","in":"query","kind":"string"},
    ],
  },
  'openai.model': {
    summary: "One model for OpenAI clients",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'openai.model_by_ref': {
    summary: "One model for OpenAI clients, by a name with a slash",
    scope: 'agents:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true},
    ],
  },
  'openai.models': {
    summary: "Models for OpenAI clients: agents, and apps that answer as models",
    scope: 'agents:read',
    fields: [],
  },
  'openai.response': {
    summary: "A stored response",
    scope: 'conversations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'organizations.add_admin': {
    summary: "Make a person an admin of an organization and a member of its workspace",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"email","in":"body","kind":"string","required":true},
    ],
  },
  'organizations.attach_team': {
    summary: "Attach a workspace to an organization",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string","required":true},
    ],
  },
  'organizations.create': {
    summary: "Create an organization and its own workspace; the caller becomes its first admin",
    scope: 'admin:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"username","in":"body","kind":"string","required":true},
    ],
  },
  'organizations.detach_team': {
    summary: "Detach a workspace from its organization",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"teamId","in":"path","kind":"string","required":true},
    ],
  },
  'organizations.get': {
    summary: "One organization",
    scope: 'admin:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'organizations.list': {
    summary: "Organizations of this installation",
    scope: 'admin:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'organizations.list_admins': {
    summary: "Admins of an organization",
    scope: 'admin:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'organizations.list_teams': {
    summary: "Workspaces of an organization",
    scope: 'admin:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'organizations.remove_admin': {
    summary: "Remove an admin of an organization",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"userId","in":"path","kind":"string","required":true},
    ],
  },
  'plans.delete': {
    summary: "Delete a plan or an add-on that no workspace has",
    scope: 'admin:write',
    fields: [
      {"name":"name","in":"path","kind":"string","required":true},
    ],
  },
  'plans.list': {
    summary: "The plans of this deployment",
    scope: 'public',
    fields: [],
  },
  'plans.set': {
    summary: "Create or change a plan or an add-on",
    scope: 'admin:write',
    fields: [
      {"name":"name","in":"path","kind":"string","required":true},
      {"name":"description","in":"body","kind":"string"},
      {"name":"plan_type","in":"body","kind":"base|addon","required":true},
      {"name":"limits","in":"body","kind":"object","required":true,"description":"Missing limits are those of the default plan"},
    ],
  },
  'projects.create': {
    summary: "Create a project",
    scope: 'projects:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"type","in":"body","kind":"agent|app|flow|other","required":true},
      {"name":"description","in":"body","kind":"string"},
      {"name":"color","in":"body","kind":"string"},
      {"name":"icon","in":"body","kind":"string"},
      {"name":"parent_id","in":"body","kind":"string"},
    ],
  },
  'projects.delete': {
    summary: "Delete a project; its contents remain",
    scope: 'projects:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'projects.get': {
    summary: "One project with its children",
    scope: 'projects:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'projects.list': {
    summary: "Projects of the workspace",
    scope: 'projects:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'projects.move': {
    summary: "Move an agent, a trigger or a chat into a project, or out of it",
    scope: 'projects:write',
    fields: [
      {"name":"project_id","in":"body","kind":"string","required":true,"description":"Null: remove it from its project"},
      {"name":"agent_id","in":"body","kind":"string"},
      {"name":"trigger_id","in":"body","kind":"string"},
      {"name":"chat_id","in":"body","kind":"string"},
    ],
  },
  'projects.set_visibility': {
    summary: "Change the visibility of a project",
    scope: 'projects:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'projects.update': {
    summary: "Change some fields of a project, or move it into another project",
    scope: 'projects:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"type","in":"body","kind":"agent|app|flow|other"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"color","in":"body","kind":"string"},
      {"name":"icon","in":"body","kind":"string"},
      {"name":"parent_id","in":"body","kind":"string","description":"Null or empty: the top level"},
    ],
  },
  'ref_routes.remove': {
    summary: "Delete an alias",
    scope: 'admin:write',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version][:function]"},
    ],
  },
  'ref_routes.set': {
    summary: "Set an alias to another app or to a page",
    scope: 'admin:write',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version][:function]"},
      {"name":"app_id","in":"body","kind":"string"},
      {"name":"function","in":"body","kind":"string"},
      {"name":"url","in":"body","kind":"string"},
    ],
  },
  'ref_routes.site': {
    summary: "List the redirects derived from platform aliases",
    scope: 'public',
    fields: [],
  },
  'remotes.add_rule': {
    summary: "Add a rule; an allow rule needs a sign-in",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"effect","in":"body","kind":"allow|ask|deny","required":true},
      {"name":"kind","in":"body","kind":"Tool|RemoteExec|MCP"},
      {"name":"selector","in":"body","kind":"string"},
      {"name":"specifier","in":"body","kind":"string"},
      {"name":"label","in":"body","kind":"string"},
    ],
  },
  'remotes.delete': {
    summary: "Delete a remote and close its connection; its commands remain readable",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'remotes.delete_rule': {
    summary: "Delete a rule; deleting an ask or deny rule needs a sign-in",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"ruleId","in":"path","kind":"string","required":true},
    ],
  },
  'remotes.get': {
    summary: "One remote with its profiles",
    scope: 'remotes:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'remotes.harnesses': {
    summary: "Coding agents that a remote can host",
    scope: 'public',
    fields: [],
  },
  'remotes.heartbeat': {
    summary: "Send a heartbeat",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"status","in":"body","kind":"json"},
    ],
  },
  'remotes.launch': {
    summary: "Create a chat with a coding agent of the machine",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"profile_id","in":"body","kind":"string","required":true},
      {"name":"work_dir","in":"body","kind":"json"},
      {"name":"resume_session_id","in":"body","kind":"json"},
    ],
  },
  'remotes.list': {
    summary: "Your remotes",
    scope: 'remotes:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'remotes.register': {
    summary: "Register a machine by its public key; the same key yields the same remote",
    scope: 'remotes:write',
    fields: [
      {"name":"name","in":"body","kind":"json"},
      {"name":"public_key","in":"body","kind":"json"},
      {"name":"remote_version","in":"body","kind":"json"},
      {"name":"system_info","in":"body","kind":"json"},
      {"name":"exec_enabled","in":"body","kind":"json"},
      {"name":"agents_enabled","in":"body","kind":"json"},
      {"name":"harnesses","in":"body","kind":"json"},
    ],
  },
  'remotes.rules': {
    summary: "Permission rules for agents’ commands on a remote",
    scope: 'remotes:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'remotes.sessions': {
    summary: "Sessions of coding agents on the machine",
    scope: 'remotes:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"cwd","in":"query","kind":"string"},
    ],
  },
  'remotes.update': {
    summary: "Replace every mutable field; fields missing in the body are cleared",
    scope: 'remotes:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"json"},
      {"name":"public_key","in":"body","kind":"json"},
      {"name":"remote_version","in":"body","kind":"json"},
      {"name":"system_info","in":"body","kind":"json"},
      {"name":"exec_enabled","in":"body","kind":"json"},
      {"name":"agents_enabled","in":"body","kind":"json"},
    ],
  },
  'scopes.list': {
    summary: "Scopes, groups and presets available to the caller",
    scope: 'optional',
    fields: [],
  },
  'search.find': {
    summary: "Search selected collections",
    scope: 'optional',
    fields: [
      {"name":"query","in":"body","kind":"string"},
      {"name":"q","in":"body","kind":"string"},
      {"name":"collections","in":"body","kind":"array"},
      {"name":"type","in":"body","kind":"apps|skills|knowledge|agents|flows|mcp_servers|pages|"},
      {"name":"limit","in":"body","kind":"integer","description":"Per collection; default 20, at most 100"},
    ],
  },
  'search.query': {
    summary: "Search apps, skills, knowledge, agents, flows, MCP servers and pages",
    scope: 'optional',
    fields: [
      {"name":"q","in":"query","kind":"string","required":true},
      {"name":"collection","in":"query","kind":"apps|skills|knowledge|agents|flows|mcp_servers|pages|"},
    ],
  },
  'secrets.change_provider': {
    summary: "Make a secret the credential of a provider, or a plain secret again with an empty provider",
    scope: 'secrets:write',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
      {"name":"provider","in":"body","kind":"string","required":true,"description":"Empty detaches"},
      {"name":"provider_name","in":"body","kind":"string","description":"Display name of an unlisted provider; ignored for listed ones"},
      {"name":"provider_website","in":"body","kind":"string","description":"Website of an unlisted provider, used to find its logo"},
      {"name":"connection_scope","in":"body","kind":"|user|team|org|platform"},
    ],
  },
  'secrets.create': {
    summary: "Store a value, encrypted; with a provider it becomes the credential of that provider",
    scope: 'secrets:write',
    fields: [
      {"name":"key","in":"body","kind":"string","required":true},
      {"name":"value","in":"body","kind":"string","required":true},
      {"name":"description","in":"body","kind":"string"},
      {"name":"provider","in":"body","kind":"string","description":"Makes the secret a credential of this provider"},
      {"name":"provider_name","in":"body","kind":"string","description":"Display name of an unlisted provider; ignored for listed ones"},
      {"name":"provider_website","in":"body","kind":"string","description":"Website of an unlisted provider, used to find its logo"},
      {"name":"connection_scope","in":"body","kind":"|user|team|org|platform"},
    ],
  },
  'secrets.delete': {
    summary: "Delete a secret with all its values",
    scope: 'secrets:write',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
    ],
  },
  'secrets.get': {
    summary: "One secret, masked",
    scope: 'secrets:read',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
    ],
  },
  'secrets.list': {
    summary: "Secrets of the workspace, masked; only those managed by people unless a scope is requested",
    scope: 'secrets:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'secrets.restore': {
    summary: "Restore an earlier version",
    scope: 'secrets:write',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
      {"name":"version_id","in":"body","kind":"string","required":true},
    ],
  },
  'secrets.reveal': {
    summary: "Reveal the value of a secret; writes an audit log entry",
    scope: 'secrets:read',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
    ],
  },
  'secrets.update': {
    summary: "Replace the value; the previous value can be restored",
    scope: 'secrets:write',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
      {"name":"value","in":"body","kind":"string","required":true},
      {"name":"description","in":"body","kind":"string"},
    ],
  },
  'secrets.versions': {
    summary: "Versions of a secret, masked, newest first",
    scope: 'secrets:read',
    fields: [
      {"name":"key","in":"path","kind":"string","required":true},
    ],
  },
  'sessions.end': {
    summary: "End a session and free its worker",
    scope: 'apps:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'sessions.get': {
    summary: "Get an app session",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'sessions.keepalive': {
    summary: "Restart the idle time of a session",
    scope: 'apps:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'sessions.list': {
    summary: "List the active app sessions of the workspace",
    scope: 'apps:read',
    fields: [],
  },
  'skills.content': {
    summary: "The instructions of a skill; counts as a use",
    scope: 'knowledge:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version]"},
    ],
  },
  'skills.delete': {
    summary: "Delete a skill and free its ref",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'skills.download': {
    summary: "A skill with the texts of all its files; counts as an install",
    scope: 'knowledge:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version]"},
    ],
  },
  'skills.duplicate': {
    summary: "Fork a skill into the caller’s workspace",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'skills.get': {
    summary: "One skill with its current version",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'skills.get_by_ref': {
    summary: "A skill by ref",
    scope: 'knowledge:read',
    fields: [
      {"name":"namespace","in":"path","kind":"string","required":true},
      {"name":"name","in":"path","kind":"string","required":true,"description":"name[@version]"},
    ],
  },
  'skills.get_version': {
    summary: "One version of a skill",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"versionId","in":"path","kind":"string","required":true},
    ],
  },
  'skills.lineage': {
    summary: "Parent, siblings, forks and duplicates of a skill",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'skills.list': {
    summary: "Skills of the workspace",
    scope: 'knowledge:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'skills.publish': {
    summary: "Publish a skill, or a new version of one",
    scope: 'knowledge:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"description","in":"body","kind":"string","required":true},
      {"name":"instructions","in":"body","kind":"json"},
      {"name":"files","in":"body","kind":"array"},
      {"name":"tags","in":"body","kind":"array"},
      {"name":"category","in":"body","kind":"string"},
      {"name":"repo_url","in":"body","kind":"string"},
      {"name":"metadata","in":"body","kind":"object"},
      {"name":"parent_skill_id","in":"body","kind":"string"},
      {"name":"parent_version_id","in":"body","kind":"string"},
      {"name":"source_url","in":"body","kind":"string"},
      {"name":"version_notes","in":"body","kind":"string"},
      {"name":"allowed_tools","in":"body","kind":"string"},
      {"name":"compatibility","in":"body","kind":"string"},
      {"name":"license","in":"body","kind":"string"},
      {"name":"context","in":"body","kind":"string"},
      {"name":"disable_model_invocation","in":"body","kind":"boolean"},
      {"name":"user_invocable","in":"body","kind":"boolean"},
    ],
  },
  'skills.resolve': {
    summary: "Find a skill by ref",
    scope: 'knowledge:read',
    fields: [
      {"name":"ref","in":"query","kind":"string","required":true},
      {"name":"skill","in":"query","kind":"string"},
    ],
  },
  'skills.set_visibility': {
    summary: "Change the visibility of a skill",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'skills.transfer': {
    summary: "Transfer a skill to another workspace",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"team_id","in":"body","kind":"string","required":true},
    ],
  },
  'skills.update': {
    summary: "Publish a new version of a skill; with If-Match, refused if the skill has changed",
    scope: 'knowledge:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"description","in":"body","kind":"string"},
      {"name":"instructions","in":"body","kind":"json"},
      {"name":"files","in":"body","kind":"array"},
      {"name":"tags","in":"body","kind":"array"},
      {"name":"category","in":"body","kind":"string"},
      {"name":"repo_url","in":"body","kind":"string"},
      {"name":"metadata","in":"body","kind":"object"},
      {"name":"parent_skill_id","in":"body","kind":"string"},
      {"name":"parent_version_id","in":"body","kind":"string"},
      {"name":"source_url","in":"body","kind":"string"},
      {"name":"version_notes","in":"body","kind":"string"},
      {"name":"allowed_tools","in":"body","kind":"string"},
      {"name":"compatibility","in":"body","kind":"string"},
      {"name":"license","in":"body","kind":"string"},
      {"name":"context","in":"body","kind":"string"},
      {"name":"disable_model_invocation","in":"body","kind":"boolean"},
      {"name":"user_invocable","in":"body","kind":"boolean"},
    ],
  },
  'skills.versions': {
    summary: "Versions of a skill, newest first",
    scope: 'knowledge:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'sockets.access': {
    summary: "Get a new token for the caller’s end",
    scope: 'apps:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'sockets.delete': {
    summary: "Delete a closed socket",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'sockets.get': {
    summary: "Get a live socket",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'sockets.list': {
    summary: "List live sockets",
    scope: 'apps:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'store.apps': {
    summary: "List the apps in the store",
    scope: 'public',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'store.estimate': {
    summary: "Estimate the cost of a run",
    scope: 'optional',
    fields: [
      {"name":"appId","in":"path","kind":"string","required":true},
      {"name":"input","in":"body","kind":"object"},
      {"name":"function","in":"body","kind":"string"},
    ],
  },
  'store.pricing': {
    summary: "Get the price of an app, as expressions",
    scope: 'store:pricing',
    fields: [
      {"name":"appId","in":"path","kind":"string","required":true},
    ],
  },
  'store.set_listing': {
    summary: "Feature, rank, sort or delist an app",
    scope: 'admin:write',
    fields: [
      {"name":"appId","in":"path","kind":"string","required":true},
      {"name":"is_featured","in":"body","kind":"boolean"},
      {"name":"rank","in":"body","kind":"integer"},
      {"name":"subcategory","in":"body","kind":"string"},
      {"name":"delisted","in":"body","kind":"boolean"},
    ],
  },
  'store.set_pricing': {
    summary: "Set the price of an app; runs already accepted keep their price",
    scope: 'store:pricing',
    fields: [
      {"name":"appId","in":"path","kind":"string","required":true},
      {"name":"prices","in":"body","kind":"object"},
      {"name":"upstream_pricing","in":"body","kind":"string"},
      {"name":"resource_expression","in":"body","kind":"string","description":"CEL; empty for no fee"},
      {"name":"inference_expression","in":"body","kind":"string","description":"CEL; empty for no fee"},
      {"name":"royalty_expression","in":"body","kind":"string","description":"CEL; empty for no fee"},
      {"name":"partner_expression","in":"body","kind":"string","description":"CEL; empty for no fee"},
      {"name":"total_expression","in":"body","kind":"string","description":"CEL; empty for no fee"},
      {"name":"estimate","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
    ],
  },
  'store.set_skill_listing': {
    summary: "Feature, rank or remove a skill in the store",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"is_featured","in":"body","kind":"boolean"},
      {"name":"rank","in":"body","kind":"integer"},
      {"name":"delisted","in":"body","kind":"boolean"},
    ],
  },
  'store.skills': {
    summary: "Public skills",
    scope: 'public',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'store.submit': {
    summary: "Record the version that the store offers",
    scope: 'store:submit',
    fields: [
      {"name":"appId","in":"path","kind":"string","required":true},
      {"name":"version_id","in":"body","kind":"string"},
    ],
  },
  'store.tags': {
    summary: "List the tags of at least three public apps",
    scope: 'public',
    fields: [],
  },
  'suggest.convert': {
    summary: "Report that a suggestion was used",
    scope: 'optional',
    fields: [
      {"name":"ref","in":"body","kind":"string","required":true},
      {"name":"resource_name","in":"body","kind":"string","required":true},
      {"name":"resource_type","in":"body","kind":"string"},
    ],
  },
  'suggest.find': {
    summary: "Suggest resources for a task and its context",
    scope: 'optional',
    fields: [
      {"name":"query","in":"body","kind":"string","required":true},
      {"name":"context","in":"body","kind":"string"},
      {"name":"scope","in":"body","kind":"array"},
      {"name":"limit","in":"body","kind":"integer"},
      {"name":"category","in":"body","kind":"app|skill|knowledge|agent|mcp|doc|"},
      {"name":"origin","in":"body","kind":"string","description":"Entries of this origin are excluded"},
    ],
  },
  'suggest.query': {
    summary: "Suggest resources for a short description of a task",
    scope: 'optional',
    fields: [
      {"name":"q","in":"query","kind":"string","required":true},
    ],
  },
  'tasks.authority': {
    summary: "The authority of a task: the chain from its starter, and the credentials it received",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.cancel': {
    summary: "Cancel a task; no effect on a finished task",
    scope: 'apps:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"force","in":"body","kind":"boolean"},
      {"name":"timeout","in":"body","kind":"integer","description":"Milliseconds"},
    ],
  },
  'tasks.cost': {
    summary: "Get the cost of the task in microcents",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.counts': {
    summary: "Count the tasks of the workspace by time and outcome",
    scope: 'apps:read',
    fields: [
      {"name":"since","in":"query","kind":"string","description":"Start of the period; default: a day ago"},
      {"name":"step","in":"query","kind":"integer","description":"Seconds per interval; default: 1800. At most 200 intervals up to now"},
    ],
  },
  'tasks.delete': {
    summary: "Delete a task; a running task is canceled first",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.deleteFiles': {
    summary: "Delete the stored files of a task, but not the task",
    scope: 'files:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.feature': {
    summary: "Feature a task or stop featuring it",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"is_featured","in":"body","kind":"boolean","required":true},
    ],
  },
  'tasks.featured': {
    summary: "List featured public tasks",
    scope: 'public',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'tasks.files': {
    summary: "List the stored files in the input and output of a task",
    scope: 'files:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.get': {
    summary: "Get a task",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.list': {
    summary: "List tasks",
    scope: 'apps:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'tasks.logs': {
    summary: "Get the logs and status events of a task",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.redeliver': {
    summary: "Send the completion webhook again with the same id",
    scope: 'apps:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.run': {
    summary: "Run an app; answers immediately with the accepted task",
    scope: 'apps:execute',
    fields: [
      {"name":"app","in":"body","kind":"string"},
      {"name":"app_id","in":"body","kind":"string"},
      {"name":"version_id","in":"body","kind":"string"},
      {"name":"function","in":"body","kind":"string"},
      {"name":"input","in":"body","kind":"object","required":true},
      {"name":"setup","in":"body","kind":"object"},
      {"name":"infra","in":"body","kind":"cloud|private|private_first"},
      {"name":"workers","in":"body","kind":"array"},
      {"name":"variant","in":"body","kind":"string"},
      {"name":"webhook","in":"body","kind":"string"},
      {"name":"session","in":"body","kind":"string"},
      {"name":"session_timeout","in":"body","kind":"integer"},
      {"name":"run_at","in":"body","kind":"string"},
      {"name":"wait","in":"body","kind":"boolean"},
      {"name":"stream","in":"body","kind":"boolean"},
      {"name":"metadata","in":"body","kind":"object"},
    ],
  },
  'tasks.status': {
    summary: "Poll the status of a task",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.stream': {
    summary: "Stream a task until it ends",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"last_event_id","in":"query","kind":"string"},
    ],
  },
  'tasks.telemetry': {
    summary: "Get the load of the machine while the task ran",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.timings': {
    summary: "Get the time that a task spent in each phase",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tasks.visibility': {
    summary: "Change the visibility of a task",
    scope: 'apps:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"visibility","in":"body","kind":"private|team|org|unlisted|public","required":true},
    ],
  },
  'tasks.webhooks': {
    summary: "List the deliveries of the completion webhook with their attempts",
    scope: 'apps:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'team_invites.create': {
    summary: "Invite a person by mail; a pending invite of the same mailbox is renewed",
    scope: 'teams:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"email","in":"body","kind":"string","required":true},
      {"name":"role","in":"body","kind":"owner|admin|member","required":true},
    ],
  },
  'team_invites.list': {
    summary: "The invites of a workspace, newest first",
    scope: 'teams:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'team_invites.revoke': {
    summary: "Withdraw a pending invite",
    scope: 'teams:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"inviteId","in":"path","kind":"string","required":true},
    ],
  },
  'teams.archive': {
    summary: "Archive a workspace; its keys and invites end",
    scope: 'teams:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'teams.check_username': {
    summary: "Check whether a workspace username is available",
    scope: 'authenticated',
    fields: [
      {"name":"username","in":"query","kind":"string","required":true},
    ],
  },
  'teams.create': {
    summary: "Create a workspace owned by the caller",
    scope: 'teams:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"username","in":"body","kind":"string","required":true},
      {"name":"email","in":"body","kind":"string"},
      {"name":"default_visibility","in":"body","kind":"private|team"},
    ],
  },
  'teams.get': {
    summary: "One workspace",
    scope: 'teams:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'teams.list': {
    summary: "The workspaces of the caller; a key sees its own",
    scope: 'teams:read',
    fields: [],
  },
  'teams.set_up': {
    summary: "Choose the final username of a workspace",
    scope: 'teams:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"username","in":"body","kind":"string","required":true},
    ],
  },
  'teams.update': {
    summary: "Change the name, address or picture of a workspace; its username until set-up is complete",
    scope: 'teams:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"email","in":"body","kind":"string"},
      {"name":"avatar_url","in":"body","kind":"string"},
      {"name":"username","in":"body","kind":"string"},
      {"name":"default_visibility","in":"body","kind":"private|team"},
    ],
  },
  'teams.view': {
    summary: "The kind of a workspace, its governing organization, and the caller's capabilities",
    scope: 'teams:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tools.always_allow': {
    summary: "Approve a call and always allow similar calls",
    scope: 'approvals:write',
    fields: [
      {"name":"chatId","in":"path","kind":"string","required":true},
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"tool_name","in":"body","kind":"string"},
      {"name":"option","in":"body","kind":"string"},
    ],
  },
  'tools.always_allow_options': {
    summary: "Always-allow options for a call, from the narrowest to the widest",
    scope: 'conversations:read',
    fields: [
      {"name":"chatId","in":"path","kind":"string","required":true},
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tools.answer': {
    summary: "Submit the result of a client or webhook tool, or the answer to a form",
    scope: 'optional',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"token","in":"query","kind":"string"},
      {"name":"result","in":"body","kind":"string"},
      {"name":"action","in":"body","kind":"json"},
      {"name":"form_data","in":"body","kind":"json"},
    ],
  },
  'tools.explain': {
    summary: "Explain what a call would do",
    scope: 'conversations:read',
    fields: [
      {"name":"chatId","in":"path","kind":"string","required":true},
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tools.invoke': {
    summary: "Approve a tool call",
    scope: 'approvals:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'tools.reject': {
    summary: "Reject a tool call; the model receives the reason",
    scope: 'approvals:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"reason","in":"body","kind":"string"},
    ],
  },
  'trigger_fires.get': {
    summary: "One fire with its trigger",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'trigger_fires.list': {
    summary: "The log of fires, including filtered and failed ones",
    scope: 'agents:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'trigger_fires.replay': {
    summary: "Replay the payload of an earlier fire",
    scope: 'agents:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'trigger_fires.try_filters': {
    summary: "Preview filters with the payload of an earlier fire; changes nothing",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"filters","in":"body","kind":"array","required":true},
    ],
  },
  'trigger_sources.list': {
    summary: "Supported webhook providers",
    scope: 'public',
    fields: [],
  },
  'triggers.create': {
    summary: "Create a trigger that starts an app, a flow or an agent by schedule, webhook or hand",
    scope: 'agents:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"enabled","in":"body","kind":"boolean"},
      {"name":"config","in":"body","kind":"object"},
      {"name":"input","in":"body","kind":"object"},
      {"name":"input_mapping","in":"body","kind":"object"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"scheduled_at","in":"body","kind":"string"},
      {"name":"type","in":"body","kind":"string","required":true,"description":"cron, webhook, scheduled, manual"},
      {"name":"action","in":"body","kind":"string","required":true,"description":"run_agent, run_app, run_flow, resolve_interrupt"},
      {"name":"agent_id","in":"body","kind":"string"},
      {"name":"app_id","in":"body","kind":"string"},
      {"name":"flow_id","in":"body","kind":"string"},
      {"name":"interrupt_id","in":"body","kind":"string"},
      {"name":"source_id","in":"body","kind":"string","description":"Id or key of a source"},
    ],
  },
  'triggers.delete': {
    summary: "Delete a trigger permanently; the log of its fires remains for its retention time",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'triggers.fire': {
    summary: "Fire a trigger, with a payload or the trigger’s own input",
    scope: 'agents:execute',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'triggers.get': {
    summary: "One trigger",
    scope: 'agents:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'triggers.hook': {
    summary: "The endpoint for webhook deliveries; answers once the event is stored",
    scope: 'public',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'triggers.list': {
    summary: "Triggers of the workspace",
    scope: 'agents:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'triggers.try_mapping': {
    summary: "Preview the input that a mapping creates from a payload; changes nothing",
    scope: 'agents:read',
    fields: [
      {"name":"action","in":"body","kind":"string","required":true,"description":"run_agent, run_app, run_flow, resolve_interrupt"},
      {"name":"input","in":"body","kind":"object"},
      {"name":"input_mapping","in":"body","kind":"object","required":true},
      {"name":"payload","in":"body","kind":"json"},
    ],
  },
  'triggers.update': {
    summary: "Change the given settings; a credential with fewer scopes narrows the trigger’s permissions",
    scope: 'agents:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"enabled","in":"body","kind":"boolean"},
      {"name":"config","in":"body","kind":"object"},
      {"name":"input","in":"body","kind":"object"},
      {"name":"input_mapping","in":"body","kind":"object"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"scheduled_at","in":"body","kind":"string"},
    ],
  },
  'vaults.add_credential': {
    summary: "Link a credential to a vault",
    scope: 'integrations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"credential_id","in":"body","kind":"string","required":true},
    ],
  },
  'vaults.add_secret': {
    summary: "Link a secret to a vault",
    scope: 'integrations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"secret_id","in":"body","kind":"string","required":true},
    ],
  },
  'vaults.create': {
    summary: "Make a vault",
    scope: 'integrations:write',
    fields: [
      {"name":"name","in":"body","kind":"string","required":true},
      {"name":"description","in":"body","kind":"string"},
    ],
  },
  'vaults.credentials': {
    summary: "Credentials in a vault, without tokens",
    scope: 'integrations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'vaults.delete': {
    summary: "Delete a custom vault and its links; its secrets and credentials stay",
    scope: 'integrations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'vaults.get': {
    summary: "One vault, with the number of members",
    scope: 'integrations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'vaults.get_default': {
    summary: "The default vault of the workspace, created on the first call",
    scope: 'integrations:read',
    fields: [],
  },
  'vaults.list': {
    summary: "Vaults of the workspace, with the number of members",
    scope: 'integrations:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'vaults.remove_credential': {
    summary: "Remove the link of a credential to a vault",
    scope: 'integrations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"credential_id","in":"body","kind":"string","required":true},
    ],
  },
  'vaults.remove_secret': {
    summary: "Remove the link of a secret to a vault",
    scope: 'integrations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"secret_id","in":"body","kind":"string","required":true},
    ],
  },
  'vaults.replace': {
    summary: "Replace name, description and default flag; omitted fields become empty",
    scope: 'integrations:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"name","in":"body","kind":"string"},
      {"name":"description","in":"body","kind":"string"},
      {"name":"is_default","in":"body","kind":"boolean"},
    ],
  },
  'vaults.secrets': {
    summary: "Secrets in a vault, masked",
    scope: 'integrations:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'workspaces.clear_limit': {
    summary: "Remove an override; the plan’s limit applies again",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"resource","in":"path","kind":"string","required":true},
    ],
  },
  'workspaces.end_plan': {
    summary: "Remove a plan or an add-on; without a plan the default applies",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"plan","in":"path","kind":"string","required":true,"description":"Its name"},
    ],
  },
  'workspaces.get': {
    summary: "One workspace with its plan and number of members",
    scope: 'admin:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'workspaces.limits': {
    summary: "Limits and usage of a workspace, with overrides by staff",
    scope: 'admin:read',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
    ],
  },
  'workspaces.list': {
    summary: "Every workspace of the installation",
    scope: 'admin:read',
    fields: [
      {"name":"limit","in":"body","kind":"integer","description":"Page size; -1 returns all matches"},
      {"name":"cursor","in":"body","kind":"string"},
      {"name":"page","in":"body","kind":"integer","description":"1-based; ignored if a cursor is set"},
      {"name":"direction","in":"body","kind":"forward|backward|next|prev|"},
      {"name":"sort","in":"body","kind":"array"},
      {"name":"filters","in":"body","kind":"array"},
      {"name":"search","in":"body","kind":"object"},
      {"name":"fields","in":"body","kind":"array"},
      {"name":"preloads","in":"body","kind":"array"},
      {"name":"permissions","in":"body","kind":"array"},
      {"name":"include_others","in":"body","kind":"boolean"},
      {"name":"include_private","in":"body","kind":"boolean"},
    ],
  },
  'workspaces.set_limit': {
    summary: "Override a limit of one workspace",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"resource","in":"path","kind":"string","required":true},
      {"name":"limit","in":"body","kind":"integer","required":true,"description":"Null is unlimited; 0 disables a feature"},
      {"name":"enforcement","in":"body","kind":"block|warn"},
    ],
  },
  'workspaces.set_plan': {
    summary: "Put a workspace on another plan, or add an add-on",
    scope: 'admin:write',
    fields: [
      {"name":"id","in":"path","kind":"string","required":true},
      {"name":"plan","in":"path","kind":"string","required":true,"description":"Its name"},
    ],
  },
}
