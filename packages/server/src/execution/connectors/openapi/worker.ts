// The worker side of thread.ts: converts one document and exits.
import { parentPort, workerData } from 'node:worker_threads'
import { type Converted, type ConvertOptions, convertDocument } from './convert.ts'
import { DocumentProblem } from './document.ts'

export type ToWorker = { readonly text: string; readonly options: ConvertOptions }
export type FromWorker = { readonly converted: Converted } | { readonly problem: string }

const answer = ({ text, options }: ToWorker): FromWorker => {
  try {
    return { converted: convertDocument(text, options) }
  } catch (error) {
    if (error instanceof DocumentProblem) return { problem: error.message }
    // The upgrade of a damaged document throws various errors.
    return { problem: `The document is not a valid OpenAPI description: ${(error as Error).message.slice(0, 200)}` }
  }
}

parentPort?.postMessage(answer(workerData as ToWorker))
