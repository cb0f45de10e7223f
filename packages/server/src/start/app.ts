// The list of all features, in the order in which they are mounted and started.
import { accessFeature } from '#accounts/access/feature.ts'
import { identityFeature } from '#accounts/identity/feature.ts'
import { plansFeature } from '#accounts/plans/feature.ts'
import { teamsFeature } from '#accounts/teams/feature.ts'
import { usagePoliciesFeature } from '#accounts/usage-policies/feature.ts'
import { agentsFeature } from '#agents/agents/feature.ts'
import { authorityFeature } from '#agents/authority/feature.ts'
import { chatsFeature } from '#agents/chats/feature.ts'
import { mcpServersFeature } from '#agents/mcp-servers/feature.ts'
import { projectsFeature } from '#agents/projects/feature.ts'
import { remotesFeature } from '#agents/remotes/feature.ts'
import { flowRunsFeature } from '#automation/flow-runs/feature.ts'
import { flowsFeature } from '#automation/flows/feature.ts'
import { triggersFeature } from '#automation/triggers/feature.ts'
import { authProvidersFeature } from '#connections/auth-providers/feature.ts'
import { credentialsFeature } from '#connections/credentials/feature.ts'
import { secretsFeature } from '#connections/secrets/feature.ts'
import { vaultsFeature } from '#connections/vaults/feature.ts'
import { artifactsFeature } from '#content/artifacts/feature.ts'
import { filesFeature } from '#content/files/feature.ts'
import { knowledgeFeature } from '#content/knowledge/feature.ts'
import { searchFeature } from '#content/search/feature.ts'
import { appSessionsFeature } from '#execution/app-sessions/feature.ts'
import { appsFeature } from '#execution/apps/feature.ts'
import { connectorsFeature } from '#execution/connectors/feature.ts'
import { dispatchFeature } from '#execution/dispatch/feature.ts'
import { pricingFeature } from '#execution/pricing/feature.ts'
import { runsFeature } from '#execution/runs/feature.ts'
import { socketsFeature } from '#execution/sockets/feature.ts'
import { tasksFeature } from '#execution/tasks/feature.ts'
import { enginesFeature } from '#machines/engines/feature.ts'
import { instancesFeature } from '#machines/instances/feature.ts'
import { rentalsFeature } from '#machines/rentals/feature.ts'
import { billingFeature } from '#money/billing/feature.ts'
import { budgetsFeature } from '#money/budgets/feature.ts'
import type { UsageCounters } from '#platform/core/ctx.ts'
import type { DeclaredRoute } from '#platform/core/declared-route.ts'
import type { Extension } from '#platform/core/extension-points.ts'
import type { Feature } from '#platform/core/feature.ts'
import type { Operation } from '#platform/core/operation.ts'
import type { SealedColumn } from '#platform/keyring/sealed-columns.ts'
import { a2aFeature } from '#surfaces/a2a/feature.ts'
import { agUiFeature } from '#surfaces/ag-ui/feature.ts'
import { cliPackageFeature } from '#surfaces/cli-package/feature.ts'
import { consoleFeature } from '#surfaces/console/feature.ts'
import { eventsFeature } from '#surfaces/events/feature.ts'
import { figuresFeature } from '#surfaces/figures/feature.ts'
import { installationFeature } from '#surfaces/installation/feature.ts'
import { mcpFeature } from '#surfaces/mcp/feature.ts'
import { openAiFeature } from '#surfaces/openai/feature.ts'

export const features: readonly Feature[] = [
  identityFeature,
  teamsFeature,
  plansFeature,
  billingFeature,
  budgetsFeature,
  accessFeature,
  usagePoliciesFeature,
  secretsFeature,
  vaultsFeature,
  authProvidersFeature,
  credentialsFeature,
  filesFeature,
  appsFeature,
  connectorsFeature,
  socketsFeature,
  pricingFeature,
  instancesFeature,
  tasksFeature,
  appSessionsFeature,
  dispatchFeature,
  runsFeature,
  enginesFeature,
  rentalsFeature,
  eventsFeature,
  flowsFeature,
  flowRunsFeature,
  agentsFeature,
  triggersFeature,
  consoleFeature,
  cliPackageFeature,
  knowledgeFeature,
  searchFeature,
  artifactsFeature,
  projectsFeature,
  remotesFeature,
  chatsFeature,
  authorityFeature,
  mcpServersFeature,
  mcpFeature,
  openAiFeature,
  a2aFeature,
  agUiFeature,
  installationFeature,
  figuresFeature,
]

export const operations: readonly Operation[] = features.flatMap((feature) => feature.operations)

export const declaredRoutes: readonly DeclaredRoute[] = features.flatMap((feature) => feature.declaredRoutes ?? [])

export const extensions: readonly Extension[] = features.flatMap((feature) => feature.on ?? [])

export const usageCounters: UsageCounters = Object.assign({}, ...features.map((feature) => feature.usage ?? {}))

export const sealedColumns: readonly SealedColumn[] = features.flatMap((feature) => feature.sealedColumns ?? [])
