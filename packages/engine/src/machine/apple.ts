// The GPU of a Mac, which shares the memory of the machine.

import { totalmem } from 'node:os'
import type { SystemGpu } from '@millrace/contract/engine-frames'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { runTool, type ToolEnv } from './gpu-tools.ts'

/** The share that Metal recommends as the working set of a GPU. */
const memoryShare = 0.75

export const readAppleGpus = async (env: ToolEnv, platform = process.platform): Promise<SystemGpu[] | undefined> => {
  if (platform !== 'darwin') return undefined
  const text = await runTool('system_profiler', ['SPDisplaysDataType', '-json'], env)
  return text === undefined ? undefined : parseAppleGpus(text, totalmem())
}

export const parseAppleGpus = (text: string, memoryBytes: number): SystemGpu[] => {
  const names = [...text.matchAll(/"sppci_model"\s*:\s*("Apple [^"\\]*")/g)].flatMap(([, name]) => name ?? [])
  const bytes = Math.floor(memoryBytes * memoryShare)
  return names.map((name, index) => ({
    id: `apple-${index}`,
    index,
    type: 'apple',
    name: String(parseUntrustedJson(name)),
    vram: bytes,
    memory_total: bytes,
  }))
}
