// The other end of markdown-thread.ts: sets one text, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { marked } from 'marked'

parentPort?.postMessage(marked.parse(workerData as string, { async: false }))
