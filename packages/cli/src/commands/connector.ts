// Connectors: apps that are generated from the description of a service, or from an MCP server on npm.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Connector, CreateConnector } from '@millrace/contract/connectors'
import { taskStatus } from '@millrace/contract/task-status'
import { type Cli, type Command, flag, type Options, text, texts } from '../command.ts'
import { CliFailure, usage } from '../failures.ts'
import { followRun } from '../tasks/follow.ts'
import { watchTask } from '../tasks/watch.ts'

/** The lines after the ref: the changes, the requirements of the app, and the next commands. */
const connectorLines = (app: string, version: string, connector: Connector): string[] => {
  const { functions, changes, staged, required_secrets, skipped } = connector
  const listed = (label: string, names: readonly string[]) =>
    names.length > 0 ? [`  ${label}: ${names.join(', ')}`] : []
  const isNew = changes.added.length === functions.length
  return [
    ...(isNew ? [] : [...listed('added', changes.added), ...listed('changed', changes.changed)]),
    ...listed('removed', changes.removed),
    ...skipped.slice(0, 20).map(({ operation, reason }) => `  skipped: ${operation} ${reason}`),
    ...required_secrets.map(({ key, optional }) => `  millrace secret create ${key}${optional ? ' (optional)' : ''}`),
    staged ? `  millrace app promote ${app} ${version}` : `  millrace app show ${app}`,
  ]
}

const given = <T extends Record<string, unknown>>(values: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0)),
  ) as Partial<T>

const openApiSource = async (cli: Cli, source: string, options: Options): Promise<CreateConnector['openapi']> => {
  const choice = given({
    tags: texts(options, 'tag'),
    operations: texts(options, 'operation'),
    server_url: text(options, 'server'),
    provider: text(options, 'provider'),
  })
  if (/^https?:\/\//.test(source)) return { ...choice, url: source } as CreateConnector['openapi']
  const path = resolve(cli.shell.cwd, source)
  const document = await readFile(path, 'utf8').catch(() => {
    throw usage(`${path} cannot be read`, 'Pass a file or an address of an OpenAPI document, or npm:PACKAGE')
  })
  return { ...choice, document } as CreateConnector['openapi']
}

const npmSource = (source: string, options: Options): CreateConnector['npm'] => {
  const [, name = '', version] = /^npm:(@?[^@]+)(?:@(.+))?$/.exec(source) ?? []
  const pairs = texts(options, 'env')
  if (pairs.some((pair) => !/^[^=]+=/.test(pair))) throw usage('--env must be KEY=value')
  const env = pairs.map((pair): [string, string] => [
    pair.slice(0, pair.indexOf('=')),
    pair.slice(pair.indexOf('=') + 1),
  ])
  return {
    package: name,
    ...given({
      version,
      command: text(options, 'command'),
      args: texts(options, 'arg'),
      env: env.length > 0 ? Object.fromEntries(env) : undefined,
      secrets: texts(options, 'secret'),
      provider: text(options, 'provider'),
      install_scripts: flag(options, 'allowInstallScripts') || undefined,
    }),
  } as CreateConnector['npm']
}

/** Runs the package on an engine, which reads its tools, and deploys the version with the tools. */
const complete = async (cli: Cli, discovery: string, options: Options): Promise<Connector> => {
  const api = cli.api()
  if (!cli.json) cli.shell.err('Installing the package on an engine and reading its tools\n')
  const task = await watchTask(cli, followRun(api, { app: discovery, input: {} }), { verbose: false })
  if (task.status !== taskStatus.completed)
    throw new CliFailure('The tools of the package could not be read', {
      code: 'discovery_failed',
      details: (task.error ?? '').split('\n').slice(0, 20),
      hint: `The log of the run: \`millrace task logs ${task.id}\``,
    })
  const consent = given({
    accept_license: flag(options, 'acceptLicense') || undefined,
    promote: flag(options, 'promote') || undefined,
  })
  return api.call('connectors.complete', { body: { task_id: task.id, ...consent } as { task_id: string } })
}

const add: Command = {
  words: 'connector add <source>',
  summary: 'Create an app, or a new version of it, from an OpenAPI document or an MCP server on npm',
  options: [
    ['--name <name>', 'name of the app (default: from the title of the document or the package)'],
    ['--tag <tag>', 'only operations with this tag', 'repeats'],
    ['--operation <name>', 'only this operation, by its operationId or as "GET /path"', 'repeats'],
    ['--server <url>', 'address of the service (default: the first server of the document)'],
    ['--provider <provider>', 'use the token of the connection to this provider'],
    ['--command <name>', 'npm: command to start, when the package has several'],
    [
      '--arg <arg>',
      'npm: an argument of the command; {data} is replaced by a folder that persists between runs',
      'repeats',
    ],
    ['--env <key=value>', 'npm: a setting of the package', 'repeats'],
    ['--secret <key>', 'npm: a secret that the package receives', 'repeats'],
    ['--allow-install-scripts', 'npm: run the install scripts of packages'],
    ['--accept-license', 'npm: use a package that states no license'],
    ['--promote', 'activate the version even if it removes or changes functions'],
  ],
  example: 'millrace connector add ./openapi.yaml\nmillrace connector add npm:@modelcontextprotocol/server-memory',
  run: async (cli, [source = ''], options) => {
    const name = text(options, 'name')
    const isPackage = source.startsWith('npm:')
    const made = await cli.api().call('connectors.create', {
      body: {
        ...(name === undefined ? {} : { name }),
        ...(isPackage ? { npm: npmSource(source, options) } : { openapi: await openApiSource(cli, source, options) }),
        ...(flag(options, 'promote') ? { promote: true } : {}),
      } as CreateConnector,
    })
    const connector = made.discovery === undefined ? made : await complete(cli, made.discovery, options)
    const app = `${connector.app.namespace}/${connector.app.name}`
    const version = connector.app.version?.short_id ?? ''
    const count = connector.functions.length
    cli.hint('', `${count} ${count === 1 ? 'function' : 'functions'}`, ...connectorLines(app, version, connector))
    return { text: `${app}@${version}${connector.staged ? ' (staged)' : ''}`, json: connector }
  },
}

export const connectorCommands = [add]
