// The text that the operator sees when the server is ready.
import type { Platform } from '#platform/core/ctx.ts'
import { databaseVersion } from '#platform/db/probe.ts'
import { version } from '#platform/settings/version.ts'
import { type LocalModels, offerOf } from './local-models.ts'

export const banner = async (
  { settings, db }: Platform,
  {
    embedded,
    readyMs,
    signInUrl,
    localModels,
  }: {
    embedded: object | null
    readyMs: number
    signInUrl: string | null
    localModels: readonly LocalModels[]
  },
): Promise<string> => {
  const { name: databaseName } = await databaseVersion(db)
  const lines = [
    '',
    `  Millrace ${version} is ready (${Math.round(readyMs)} ms)`,
    '',
    `  Address   ${settings.BASE_URL}`,
    ...(settings.CONSOLE ? [`  Console   ${settings.APP_URL}/console`] : []),
    `  Guides    ${settings.BASE_URL}/guides`,
    `  Reference ${settings.BASE_URL}/docs`,
    `  Data      ${settings.DATA_DIR}`,
    `  Versions  Node ${process.versions.node}, PostgreSQL ${databaseName.split(' ')[0]}${embedded ? ' (embedded)' : ''}`,
    ...localModels.flatMap((server) => offerOf(server, settings)),
  ]
  if (signInUrl === null) lines.push(`  Sign in   ${settings.APP_URL}/sign-in`)
  else lines.push('', '  Sign in as the owner (this link works once, within 15 minutes):', `  ${signInUrl}`)
  return `${lines.join('\n')}\n`
}
