// What turns texts into vectors: thread.ts is the model that comes along, endpoint.ts the one that the operator named.
import type { CosineRange } from './score.ts'

export type Embedder = {
  /** Vectors of different models are never compared. */
  readonly model: string
  /** Components of the vectors it gave last; null: none yet. */
  readonly length: number | null
  /** In the order of the texts. Rejects when it fails or the time is over. */
  embed(texts: readonly string[], timeoutMs: number): Promise<Float32Array[]>
  /** Between which cosines the model puts what has nothing in common and what means the same. */
  range(timeoutMs: number): Promise<CosineRange>
  close(): Promise<void>
}

/** The texts themselves were refused: asking again changes nothing. */
export class TextsRefused extends Error {}

/** Texts are cut to this: models read a beginning, and long ones take long. */
export const longestText = 1_500
