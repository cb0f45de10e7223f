// NVIDIA GPUs as `nvidia-smi` lists them; empty when the program is missing or fails.

import { execFile } from 'node:child_process'
import type { SystemGpu } from '@millrace/contract/engine-frames'

const query = ['--query-gpu=index,uuid,name,memory.total', '--format=csv,noheader,nounits']

export const readNvidiaGpus = (env: Record<string, string>): Promise<SystemGpu[]> =>
  new Promise((resolve) => {
    execFile('nvidia-smi', query, { timeout: 10_000, env }, (error, stdout) =>
      resolve(error ? [] : parseNvidiaCsv(stdout)),
    )
  })

// Memory is reported in MiB.
export const parseNvidiaCsv = (csv: string): SystemGpu[] =>
  csv.split('\n').flatMap((line) => {
    const [index, id, name, memory] = line.split(',').map((field) => field.trim())
    if (!index || !id || !name || !memory) return []
    return [{ id, index: Number(index), type: 'nvidia', name, vram: Math.round(Number(memory) * 1024 ** 2) || 0 }]
  })
