// The worker side of markdown-thread.ts: renders one text and exits.
import { parentPort, workerData } from 'node:worker_threads'
import { marked } from 'marked'

parentPort?.postMessage(marked.parse(workerData as string, { async: false }))
