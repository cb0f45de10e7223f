// Every page with its address below `/console/<workspace>`. The code of a page is loaded when it is first opened.
import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  Link,
  lazyRouteComponent,
} from '@tanstack/react-router'
import { agentsAddress } from './agents/address.ts'
import { wordsIn } from './api/list-address.ts'
import { isForbidden } from './api/problem.ts'
import { read } from './api/queries.ts'
import { basePath, rememberWorkspace } from './api/workspace.ts'
import { artifactsAddress } from './artifacts/address.ts'
import { chatsAddress } from './chats/address.ts'
import { filesAddress } from './files/address.ts'
import { knowledgeAddress } from './knowledge/kinds.ts'
import { machineFilters } from './machines/filters.ts'
import { moneyFilters } from './money/filters.ts'
import { runFilters } from './runs/filters.ts'
import { searchAddress } from './search/hits.ts'
import { auditFilters } from './settings/audit-filters.ts'
import { webhookFilters } from './settings/webhook-filters.ts'
import { ClosedWorkspace } from './shell/closed-workspace.tsx'
import { Frame } from './shell/frame.tsx'
import { strings } from './shell/strings.ts'
import { storeFilters } from './store/filters.ts'
import { Page, ProblemNote, SkeletonRows } from './ui/page.tsx'
import { usageAddress } from './usage/address.ts'

const Failed = ({ error, reset }: ErrorComponentProps) => (
  <Page title={strings.pageFailed}>
    <ProblemNote error={error} retry={reset} />
  </Page>
)

/** Nothing of the workspace is known yet: a new start is the only retry. */
const FailedStart = ({ error }: ErrorComponentProps) =>
  isForbidden(error) ? (
    <ClosedWorkspace reason={error.message} />
  ) : (
    <main>
      <Page title={strings.pageFailed}>
        <ProblemNote error={error} retry={() => location.reload()} />
      </Page>
    </main>
  )

const Missing = () => (
  <Page title={strings.notFound.title}>
    <p className="text-soft">
      {strings.notFound.text}{' '}
      <Link to="/" className="text-accent underline">
        {strings.notFound.home}
      </Link>
    </p>
  </Page>
)

const rootRoute = createRootRouteWithContext<{ client: QueryClient }>()({
  beforeLoad: async ({ context }) => {
    const { team } = await context.client.ensureQueryData(read('me.get'))
    if (team) rememberWorkspace(team.id)
  },
  component: Frame,
  errorComponent: FailedStart,
  notFoundComponent: Missing,
})

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const page = <const P extends string>(path: P, load: () => Promise<{ default: React.ComponentType }>) =>
  createRoute({ getParentRoute: () => rootRoute, path, component: lazyRouteComponent(load) })

/** A page with tabs. The address contains the open tab (`ui/use-tab.ts`). */
const tabbed = <const P extends string>(path: P, load: () => Promise<{ default: React.ComponentType }>) =>
  createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: (search: Record<string, unknown>): { tab?: string } => {
      const tab = text(search.tab)
      return tab ? { tab } : {}
    },
    component: lazyRouteComponent(load),
  })

/** A list whose search and filters are part of its address (`api/list-address.ts`). */
const listed = <const P extends string, A extends object>(
  path: P,
  validateSearch: (search: Record<string, unknown>) => A,
  load: () => Promise<{ default: React.ComponentType }>,
) => createRoute({ getParentRoute: () => rootRoute, path, validateSearch, component: lazyRouteComponent(load) })

const routes = [
  page('/', () => import('./home/home-page.tsx')),
  page('/apps', () => import('./apps/apps-page.tsx')),
  tabbed('/apps/$namespace/$name', () => import('./apps/app-page.tsx')),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/store',
    validateSearch: storeFilters,
    component: lazyRouteComponent(() => import('./store/store-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/runs',
    validateSearch: runFilters,
    component: lazyRouteComponent(() => import('./runs/runs-page.tsx')),
  }),
  page('/runs/$id', () => import('./runs/run-page.tsx')),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/flows',
    validateSearch: (search: Record<string, unknown>): { create?: boolean; q?: string } => {
      const q = text(search.q)
      return { ...(search.create === true ? { create: true } : {}), ...(q ? { q } : {}) }
    },
    component: lazyRouteComponent(() => import('./flows/flows-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/flows/$id',
    validateSearch: (search: Record<string, unknown>): { run?: string } => {
      const run = text(search.run)
      return run ? { run } : {}
    },
    component: lazyRouteComponent(() => import('./flows/editor-page.tsx')),
  }),
  page('/triggers', () => import('./triggers/triggers-page.tsx')),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/triggers/new',
    validateSearch: (search: Record<string, unknown>): { flow?: string } => {
      const flow = text(search.flow)
      return flow ? { flow } : {}
    },
    component: lazyRouteComponent(() => import('./triggers/new-trigger-page.tsx')),
  }),
  page('/triggers/$id', () => import('./triggers/trigger-page.tsx')),
  listed('/agents', agentsAddress, () => import('./agents/agents-page.tsx')),
  tabbed('/agents/$id', () => import('./agents/agent-page.tsx')),
  listed('/usage', usageAddress, () => import('./usage/usage-page.tsx')),
  listed('/chats', chatsAddress, () => import('./chats/chats-page.tsx')),
  page('/chats/$id', () => import('./chats/chat-page.tsx')),
  page('/inbox', () => import('./chats/inbox-page.tsx')),
  listed('/knowledge', knowledgeAddress, () => import('./knowledge/knowledge-page.tsx')),
  tabbed('/knowledge/$id', () => import('./knowledge/entry-page.tsx')),
  listed('/search', searchAddress, () => import('./search/search-page.tsx')),
  listed('/artifacts', artifactsAddress, () => import('./artifacts/artifacts-page.tsx')),
  page('/artifacts/$id', () => import('./artifacts/artifact-page.tsx')),
  page('/projects', () => import('./projects/projects-page.tsx')),
  listed('/secrets', wordsIn, () => import('./secrets/secrets-page.tsx')),
  page('/vaults', () => import('./secrets/vaults-page.tsx')),
  listed('/connections', wordsIn, () => import('./secrets/connections-page.tsx')),
  listed('/tool-servers', wordsIn, () => import('./tool-servers/tool-servers-page.tsx')),
  page('/tool-servers/$slug', () => import('./tool-servers/tool-server-page.tsx')),
  listed('/files', filesAddress, () => import('./files/files-page.tsx')),
  page('/engines', () => import('./engines/engines-page.tsx')),
  page('/engines/$id', () => import('./engines/engine-page.tsx')),
  page('/remotes', () => import('./remotes/remotes-page.tsx')),
  page('/remotes/$id', () => import('./remotes/remote-page.tsx')),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/machines',
    validateSearch: machineFilters,
    component: lazyRouteComponent(() => import('./machines/machines-page.tsx')),
  }),
  page('/settings', () => import('./settings/account-page.tsx')),
  page('/settings/account', () => import('./settings/account-page.tsx')),
  page('/settings/workspace', () => import('./settings/workspace-page.tsx')),
  page('/settings/people', () => import('./settings/people-page.tsx')),
  page('/settings/keys', () => import('./settings/keys-page.tsx')),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/webhooks',
    validateSearch: webhookFilters,
    component: lazyRouteComponent(() => import('./settings/webhooks-page.tsx')),
  }),
  page('/settings/services', () => import('./settings/services-page.tsx')),
  page('/settings/usage', () => import('./settings/usage-page.tsx')),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/settings/money',
    validateSearch: moneyFilters,
    component: lazyRouteComponent(() => import('./money/money-page.tsx')),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/settings/audit',
    validateSearch: auditFilters,
    component: lazyRouteComponent(() => import('./settings/audit-page.tsx')),
  }),
  page('/installation', () => import('./installation/health-page.tsx')),
  listed('/installation/workspaces', wordsIn, () => import('./installation/workspaces-page.tsx')),
  page('/installation/workspaces/$id', () => import('./installation/workspace-page.tsx')),
  listed('/installation/organizations', wordsIn, () => import('./installation/organizations-page.tsx')),
  page('/installation/organizations/$id', () => import('./installation/organization-page.tsx')),
  page('/installation/plans', () => import('./installation/plans-page.tsx')),
  page('/installation/aliases', () => import('./installation/aliases-page.tsx')),
  page('/installation/addresses', () => import('./installation/addresses-page.tsx')),
] as const

const routeTree = rootRoute.addChildren(routes)

export const createConsoleRouter = (client: QueryClient) =>
  createRouter({
    routeTree,
    basepath: basePath(),
    context: { client },
    defaultPreload: 'intent',
    // The page of another resource starts with fresh state.
    defaultRemountDeps: ({ params }) => params,
    defaultPendingComponent: SkeletonRows,
    defaultErrorComponent: Failed,
    // A new page starts at the top; Back restores the position of each scrolling element.
    scrollRestoration: true,
    scrollToTopSelectors: ['#main', '[data-scroll-restoration-id=list]'],
  })

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
}
