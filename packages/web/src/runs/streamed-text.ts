// The text of a run that streams deltas. Pure.
import { addInOrder } from '../api/delta-order.ts'

type StreamedText = { readonly text: string; readonly seq: number }

export const noStreamedText: StreamedText = { text: '', seq: 0 }

const textOfDelta = (delta: unknown): string => {
  if (typeof delta === 'string') return delta
  const parts = typeof delta === 'object' && delta !== null ? Object.values(delta) : []
  return parts.filter((part) => typeof part === 'string').join('')
}

export const addStreamedText = (sum: StreamedText, data: unknown): StreamedText => {
  const { delta, seq } = data as { delta: unknown; seq: number }
  const add = (base: StreamedText, gap: string) => ({ text: base.text + gap + textOfDelta(delta), seq })
  return addInOrder(sum, seq, { empty: noStreamedText, add })
}
