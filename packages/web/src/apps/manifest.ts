// Reads the `inf.yml` of a bundle as `millrace deploy` does. Loaded on demand, because of the YAML parser. Pure.
import type { App, DeployApp } from '@millrace/contract/apps'
import { type DiscoveredApp, deployBody } from '@millrace/contract/deploy-body'
import { InfYml, isKernel, type Settled, settleManifest } from '@millrace/contract/inf-yml'
import { isRecord } from '@millrace/contract/json'
import { parse } from 'yaml'
import { faultsOf } from '../forms/faults.ts'
import type { Schema } from '../forms/schema.ts'
import { strings } from './strings.ts'

const words = strings.deploy

const schema = InfYml as unknown as Schema

/** An empty `env:` equals a missing one. `metadata` belongs to the author and is not changed. */
const withoutEmpty = (value: unknown, place = ''): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item))
  if (!isRecord(value) || place === 'metadata') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutEmpty(member, name)]])),
  )
}

export const manifestIn = (text: string): Settled => {
  const found = withoutEmpty(parse(text))
  const faults = isRecord(found) ? faultsOf(schema, found, schema) : [{ path: '', message: words.emptyManifest }]
  if (faults.length > 0)
    throw new Error(words.invalidManifest(faults.map(({ path, message }) => `${path}: ${message}`).join('; ')))
  const manifest = found as InfYml
  if (!isKernel(manifest.kernel)) throw new Error(words.invalidManifest(words.unknownKernel(String(manifest.kernel))))
  return settleManifest(manifest)
}

/** The next version of this app as declared by its manifest. The app keeps its own name. */
export const declaredBy = (
  { manifest, notices }: Settled,
  { id, name }: Pick<App, 'id' | 'name'>,
  code: { repository: string; discovered: DiscoveredApp },
): { body: DeployApp; notices: string[] } => {
  const { namespace: _namespace, ...body } = deployBody(manifest, code.discovered, code.repository)
  const other = notices.filter((notice) => !notice.startsWith('name:'))
  return {
    body: { ...body, id, name },
    notices: manifest.name === name ? other : [...other, words.nameKept(manifest.name, name)],
  }
}
