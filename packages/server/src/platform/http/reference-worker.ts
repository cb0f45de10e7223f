// Worker of reference-thread.ts: reads the generated document, inserts the address of this server and renders pages.
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { openApiDocument } from './openapi.ts'
import { createReference } from './reference-page.ts'

export type ReferenceData = { baseUrl: string; version: string }

/** A search query, or null for the document itself. */
export type ToReferenceWorker = { id: number; query: string | null }
export type FromReferenceWorker = { id: number; bytes: Uint8Array<ArrayBuffer> }

const { baseUrl, version } = workerData as ReferenceData
const written = JSON.parse(
  readFileSync(new URL('../../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as ReturnType<typeof openApiDocument>
const document = {
  ...written,
  info: { ...written.info, version, contact: { ...written.info.contact, url: baseUrl } },
  servers: [{ url: baseUrl }],
}
const reference = createReference(document)

parentPort?.on('message', ({ id, query }: ToReferenceWorker) => {
  const bytes = new TextEncoder().encode(query === null ? JSON.stringify(document) : reference(query))
  parentPort?.postMessage({ id, bytes } satisfies FromReferenceWorker, [bytes.buffer])
})
