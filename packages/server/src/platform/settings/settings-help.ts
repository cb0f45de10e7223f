// The text of `npm start -- --help`, generated from the table of settings.
import { settingTable } from './settings.ts'

const flagOf = (name: string): string => `--${name.toLowerCase().replaceAll('_', '-')}`

const defaultOf = (fallback: unknown): string =>
  fallback === undefined || (Array.isArray(fallback) && fallback.length === 0) ? '' : ` (default ${String(fallback)})`

export const requestsHelp = (argv: readonly string[]): boolean => argv.includes('--help') || argv.includes('-h')

export const settingsHelp = (): string => {
  const rows = Object.entries(settingTable as Record<string, { fallback?: unknown; meaning: string }>)
  const width = Math.max(...rows.map(([name]) => flagOf(name).length))
  return [
    'Starts Millrace. Each setting is a flag or an environment variable: --data-dir is DATA_DIR.',
    '',
    ...rows.map(([name, { fallback, meaning }]) => `  ${flagOf(name).padEnd(width)}  ${meaning}${defaultOf(fallback)}`),
    '',
    'Example: npm start -- --port 8000 --data-dir /var/lib/millrace',
  ].join('\n')
}
