// Reads `inf.yml` and reports all problems at once.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Settled, settleManifest } from '@millrace/contract/inf-yml'
import { parse as parseYaml } from 'yaml'
import { CliFailure, usage } from '../failures.ts'
import { faultsOf, isManifest, unreadFields, withoutEmpty } from './manifest-faults.ts'

export const readManifest = async (folder: string): Promise<Settled> => {
  const path = join(folder, 'inf.yml')
  const text = await readFile(path, 'utf8').catch(() => {
    throw usage(`inf.yml not found in ${folder}; create one with \`millrace app create\``)
  })
  return parseManifest(text)
}

export const parseManifest = (text: string): Settled => {
  const manifest = withoutEmpty(parsed(text))
  if (!isManifest(manifest)) throw notRight(faultsOf(manifest))
  const { manifest: settled, notices } = settleManifest(manifest)
  return { manifest: settled, notices: [...notices, ...unreadFields(manifest)] }
}

const notRight = (details: string[]): CliFailure =>
  new CliFailure('inf.yml is invalid', { code: 'invalid_manifest', details })

const parsed = (text: string): unknown => {
  try {
    return parseYaml(text)
  } catch (error) {
    throw new CliFailure('inf.yml is not YAML', { code: 'invalid_manifest', details: [(error as Error).message] })
  }
}
