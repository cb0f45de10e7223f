// The text that the operator sees when the server is ready.
import type { SystemGpu } from '@millrace/contract/engine-frames'
import { gpuWorkersOf, offerInWords, parseSelection } from '@millrace/contract/gpu-selection'
import type { Platform } from '#platform/core/ctx.ts'
import { databaseVersion } from '#platform/db/probe.ts'
import type { Settings } from '#platform/settings/settings.ts'
import { version } from '#platform/settings/version.ts'
import { type LocalModels, offerOf } from './local-models.ts'

export const banner = async (
  { settings, db }: Platform,
  {
    embedded,
    readyMs,
    signInUrl,
    localModels,
    gpus,
  }: {
    embedded: object | null
    readyMs: number
    signInUrl: string | null
    localModels: readonly LocalModels[]
    gpus: readonly SystemGpu[]
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
    ...(settings.ENGINE ? [`  Engine    ${engineInWords(settings, gpus)}`] : []),
    ...localModels.flatMap((server) => offerOf(server, settings)),
  ]
  if (signInUrl === null) lines.push(`  Sign in   ${settings.APP_URL}/sign-in`)
  else lines.push('', '  Sign in as the owner (this link works once, within 15 minutes):', `  ${signInUrl}`)
  return `${lines.join('\n')}\n`
}

const engineInWords = ({ ENGINE_GPUS, ENGINE_CPU_WORKERS }: Settings, gpus: readonly SystemGpu[]): string =>
  offerInWords(gpus, { gpu: gpuWorkersOf(parseSelection(ENGINE_GPUS), gpus), cpu: ENGINE_CPU_WORKERS })
