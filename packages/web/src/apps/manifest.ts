// What the `inf.yml` of a bundle declares, read as `millrace deploy` reads it. Loaded when a bundle is deployed: a reader of YAML and
// the schema of the manifest come along. Pure.
import type { App, DeployApp } from '@millrace/contract/apps'
import { type DiscoveredApp, deployBody } from '@millrace/contract/deploy-body'
import { InfYml, parseKernel, type Settled, settleManifest } from '@millrace/contract/inf-yml'
import { isRecord } from '@millrace/contract/json'
import { parse } from 'yaml'
import { faultsOf } from '../forms/faults.ts'
import type { Schema } from '../forms/schema.ts'

const schema = InfYml as unknown as Schema

/** `env:` with nothing after it is as good as no `env`. What `metadata` holds is its author's. */
const withoutEmpty = (value: unknown, place = ''): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutEmpty(item))
  if (!isRecord(value) || place === 'metadata') return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, withoutEmpty(member, name)]])),
  )
}

export const manifestIn = (text: string): Settled => {
  const found = withoutEmpty(parse(text))
  const faults = isRecord(found) ? faultsOf(schema, found, schema) : [{ path: '', message: 'It names no fields' }]
  if (faults.length > 0)
    throw new Error(`inf.yml is not right. ${faults.map(({ path, message }) => `${path}: ${message}`).join('; ')}`)
  const manifest = found as InfYml
  if (!parseKernel(manifest.kernel)) throw new Error(`inf.yml is not right. kernel: ${manifest.kernel} is not known`)
  return settleManifest(manifest)
}

/** The next version of this app as its manifest declares it. An app keeps its own name, whatever its code was first called. */
export const declaredBy = (
  { manifest, notices }: Settled,
  { id, name }: Pick<App, 'id' | 'name'>,
  code: { repository: string; said: DiscoveredApp },
): { body: DeployApp; notices: string[] } => {
  const { namespace: _theirs, ...body } = deployBody(manifest, code.said, code.repository)
  const told = notices.filter((notice) => !notice.startsWith('name:'))
  return {
    body: { ...body, id, name },
    notices: manifest.name === name ? told : [...told, `Its inf.yml calls it ${manifest.name}; here it stays ${name}`],
  }
}
