// Turns texts into vectors. thread.ts runs the bundled model, endpoint.ts calls the endpoint that the operator
// configured.
import type { CosineRange } from '../score.ts'

export type Embedder = {
  /** Vectors of different models are never compared. */
  readonly model: string
  /** Number of components of the latest vectors; null before the first. */
  readonly length: number | null
  /** In the order of the texts. Rejects on failure or timeout. */
  embed(texts: readonly string[], timeoutMs: number): Promise<Float32Array[]>
  /** The cosines that the model gives to unrelated texts and to paraphrases. */
  range(timeoutMs: number): Promise<CosineRange>
  close(): Promise<void>
}

/** The endpoint refused the texts; a retry would fail again. */
export class TextsRefused extends Error {}

/** Texts are truncated to this length: models read only a beginning, and long texts are slow. */
export const maxTextLength = 1_500
