// `millrace admin …`: uses the data folder or DATABASE_URL directly, whether or not the server runs. Exit codes: 0
// done, 1 failed, 2 invalid usage.
import { parseArgs } from 'node:util'
import pino from 'pino'
import { policyKinds } from '#accounts/usage-policies/service.ts'
import { isFailure } from '#platform/core/errors.ts'
import { connectOrStart } from '#platform/db/embedded/connect-or-start.ts'
import { readSettings, SettingsError } from '#platform/settings/settings.ts'
import { rememberedAddress } from '../address.ts'
import { describeError } from '../log.ts'
import { openPlatform } from '../platform.ts'
import { type CommandArguments, UsageError } from './command.ts'
import { commands } from './commands.ts'
import { findInstallation } from './find-installation.ts'

const help = (): string =>
  [
    'millrace admin — commands for the operator of an installation',
    '',
    ...Object.values(commands).map(({ usage, summary }) => `  millrace admin ${usage}\n      ${summary}`),
    '',
    'Every command takes --json, and --data-dir (default .millrace) or --database-url.',
    'Example: millrace admin sign-in --email you@example.com --team acme --json',
  ].join('\n')

const names = [
  'email',
  'team',
  'role',
  'name',
  'scopes',
  'expires-in',
  'reason',
  'resource',
  'limit',
  ...policyKinds,
  'passphrase-file',
  'data-dir',
  'database-url',
  'base-url',
]

const parse = (argv: string[]): CommandArguments => {
  try {
    const { values, positionals } = parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        json: { type: 'boolean' },
        help: { type: 'boolean' },
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
      },
    })
    return { positionals, options: values as CommandArguments['options'] }
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'The arguments are not valid')
  }
}

const run = async (argv: string[]): Promise<number> => {
  const words = parse(argv)
  const [name, ...positionals] = words.positionals
  if (name === undefined || words.options.help === true) {
    console.log(help())
    return 0
  }
  const command = commands[name]
  if (!command) throw new UsageError(`Unknown command ${name}; see millrace admin --help`)
  const flags = ['data-dir', 'database-url', 'base-url'].flatMap((flag) => {
    const value = words.options[flag]
    return typeof value === 'string' ? [`--${flag}=${value}`] : []
  })
  const given = readSettings(process.env, flags)
  const isFound = given.DATABASE_URL !== undefined || command.makes === true
  const isNamed = words.options['data-dir'] !== undefined || process.env.DATA_DIR !== undefined
  const settings = isFound ? given : { ...given, DATA_DIR: findInstallation(given.DATA_DIR, isNamed) }
  const database =
    settings.DATABASE_URL === undefined
      ? await connectOrStart({ dataDir: settings.DATA_DIR })
      : { connectionString: settings.DATABASE_URL, close: async () => {} }
  try {
    const open = await openPlatform({
      settings,
      connectionString: database.connectionString,
      log: pino({ level: 'silent' }),
      maxConnections: 2,
    })
    try {
      const address = words.options['base-url'] === undefined ? await rememberedAddress(open.platform.db) : null
      const platform = { ...open.platform, settings: { ...settings, ...address } }
      const result = await command.run({ ...open, platform }, { positionals, options: words.options })
      console.log(words.options.json === true ? JSON.stringify(result.json) : result.text)
      return result.failed ? 1 : 0
    } finally {
      await open.close()
    }
  } finally {
    await database.close()
  }
}

run(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    const isUsage = error instanceof UsageError || error instanceof SettingsError
    const expected = isUsage || isFailure(error)
    const { stack } = describeError(error) as { stack?: string }
    console.error(expected || stack === undefined ? ((error as Error).message ?? String(error)) : stack)
    process.exit(isUsage ? 2 : 1)
  },
)
