// Connectors from npm packages: an app whose only function reads the tools of an MCP server on an engine, then a version
// with one function for each tool. The package never runs on this server.
import type { DeployApp } from '@millrace/contract/apps'
import { type CompleteConnector, type Connector, NpmSource, ToolList } from '@millrace/contract/connectors'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { taskStatus } from '@millrace/contract/task-status'
import { Compile } from 'typebox/compile'
import type { Ctx } from '#platform/core/ctx.ts'
import { fail } from '#platform/core/errors.ts'
import { readableApp, runnableVersion } from '../apps/service.ts'
import { getTask } from '../tasks/service.ts'
import { bundleOf, type Deployment, deployConnector } from './deploy.ts'
import { functionsOf, lockWithoutAddresses } from './npm-tools.ts'

const toolsFunction = 'list_tools'

const discoveryFunctions = {
  [toolsFunction]: {
    description: 'Reads the tools of the MCP server',
    input_schema: { type: 'object' },
    output_schema: null,
  },
}

const packageJson = ({ package: name, version, install_scripts }: NpmSource): string =>
  JSON.stringify({
    name: 'millrace-npm-connector',
    private: true,
    type: 'module',
    dependencies: { [name]: version ?? 'latest' },
    millrace: { installScripts: install_scripts === true },
  })

const fieldsOf = (source: NpmSource): Omit<NonNullable<DeployApp['version']>, 'functions' | 'metadata'> => ({
  kernel: 'node-22',
  env: source.env ?? {},
  required_secrets: (source.secrets ?? []).map((key) => ({ key, description: `Setting of ${source.package}` })),
  required_credentials: source.provider === undefined ? [] : [{ provider: source.provider }],
})

const settingsOf = ({ package: name, command, args }: NpmSource) => ({ package: name, command, args })

/** Readers of a public app see its metadata, but not its environment. */
const withoutEnv = ({ env: _, ...source }: NpmSource): NpmSource => source

/** `@acme/weather-mcp` becomes `weather-mcp`. */
export const nameOfPackage = (name: string): string => name.replace(/^.*\//, '')

/** Deploys the version that reads the tools. */
export const startNpmConnector = async (ctx: Ctx, name: string, source: NpmSource): Promise<Connector> => {
  const files = { 'package.json': packageJson(source), 'connector.json': JSON.stringify(settingsOf(source)) }
  const deployment: Deployment = {
    name,
    title: source.package,
    description: '',
    bundle: await bundleOf('npm', files),
    version: {
      ...fieldsOf(source),
      functions: discoveryFunctions,
      metadata: { connector: { kind: 'npm', phase: 'discovery', source: withoutEnv(source) } },
    },
    hosts: [],
    skipped: [],
    staged: true,
  }
  const connector = await deployConnector(ctx, deployment)
  const { namespace, version } = connector.app
  return { ...connector, discovery: `${namespace}/${name}@${version?.short_id}:${toolsFunction}` }
}

const isSource = Compile(NpmSource)
const isToolList = Compile(ToolList)

const discoveryOf = async (ctx: Ctx, taskId: string) => {
  const task = await getTask(ctx, taskId)
  const version = await runnableVersion(ctx.db, task.app_version_id)
  const { connector } = (version?.metadata ?? {}) as { connector?: { phase?: string; source?: unknown } }
  const app = version && (await readableApp(ctx, version.app_id))
  const isOwn = app?.team_id === ctx.actor.teamId && connector?.phase === 'discovery'
  if (!app || !isOwn || !isSource.Check(connector?.source))
    throw fail('validation_error', 'task_id: this run does not read the tools of a connector of this workspace')
  if (task.status !== taskStatus.completed)
    throw fail('invalid_state', 'The run that reads the tools has not completed')
  if (!isToolList.Check(task.output))
    throw fail('validation_error', 'The MCP server returned an invalid list of tools, or more than 200 tools')
  return { source: { ...connector.source, env: version.env }, found: task.output, name: app.name }
}

/** An empty field and the mark of private packages state no license. */
const statesLicense = (license: string): boolean => license !== '' && license !== 'UNLICENSED'

/** Deploys the version with the tools that a run of the first version has read. */
export const completeNpmConnector = async (ctx: Ctx, input: CompleteConnector): Promise<Connector> => {
  const { source, found, name } = await discoveryOf(ctx, input.task_id)
  const { license } = found.package
  if (!statesLicense(license) && input.accept_license !== true)
    throw fail('validation_error', `${source.package} states no license; confirm with \`accept_license\``)
  if (found.tools.length === 0) throw fail('validation_error', 'The MCP server has no tools')
  const { functions, tools, annotations } = functionsOf(found.tools)
  const pinned = { ...source, version: found.package.version }
  const lock = lockWithoutAddresses(parseUntrustedJson(found.lock === '' ? '{}' : found.lock))
  const files = {
    'package.json': packageJson(pinned),
    'connector.json': JSON.stringify({ ...settingsOf(pinned), tools }),
    'functions_schema.json': JSON.stringify(functions),
    ...(lock === undefined ? {} : { 'package-lock.json': lock }),
  }
  return deployConnector(ctx, {
    name,
    title: source.package,
    description: `Tools of the npm package ${source.package}`.slice(0, 200),
    bundle: await bundleOf('npm', files),
    version: {
      ...fieldsOf(source),
      functions,
      metadata: { connector: { kind: 'npm', source: withoutEnv(pinned), license, annotations } },
    },
    hosts: [],
    skipped: [],
    staged: input.promote === true ? false : undefined,
  })
}
