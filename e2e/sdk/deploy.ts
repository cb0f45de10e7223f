// Deploys a small app with the client alone: the code is uploaded as a file that the app references.
import type { Inference } from '@inferencesh/sdk'
import yazl from 'yazl'

export type NewApp = {
  name: string
  /** Path to content. */
  files: Record<string, string>
  /** Additional fields of the version. */
  version?: Record<string, unknown>
}

export type Deployed = { id: string; ref: string; version_id: string }

export const deploy = async (client: Inference, { name, files, version = {} }: NewApp): Promise<Deployed> => {
  const bundle = (await client.uploadFile(new Blob([await zipped(files)], { type: 'application/zip' }), {
    filename: `${name}.zip`,
  })) as unknown as { uri: string }
  const { data } = await client.apps.create({
    name,
    version: { repository: bundle.uri, kernel: 'node-22', ...version },
  } as never)
  return { id: data.id, ref: `${data.namespace}/${data.name}`, version_id: data.version_id }
}

const zipped = async (files: Record<string, string>): Promise<Uint8Array<ArrayBuffer>> => {
  const zip = new yazl.ZipFile()
  const manifest = { 'package.json': JSON.stringify({ type: 'module' }) }
  for (const [path, content] of Object.entries({ ...manifest, ...files })) zip.addBuffer(Buffer.from(content), path)
  zip.end()
  const parts: Uint8Array[] = []
  for await (const part of zip.outputStream as AsyncIterable<Uint8Array>) parts.push(part)
  return new Uint8Array(Buffer.concat(parts))
}
