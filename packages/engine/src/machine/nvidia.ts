// NVIDIA GPUs and their processes, as `nvidia-smi` lists them.

import type { SystemGpu } from '@millrace/contract/engine-frames'
import { numberOf, runTool, type ToolEnv } from './gpu-tools.ts'

const fields = [
  ...['index', 'uuid', 'name', 'memory.total', 'memory.used', 'utilization.gpu', 'temperature.gpu', 'power.draw'],
  'driver_version',
]
const csv = '--format=csv,noheader,nounits'

/** Undefined when the program is missing or fails. */
export const readNvidiaGpus = async (env: ToolEnv): Promise<SystemGpu[] | undefined> => {
  const text = await runTool('nvidia-smi', [`--query-gpu=${fields.join(',')}`, csv], env)
  return text === undefined ? undefined : parseNvidiaGpus(text)
}

/** No query returns the CUDA version; the header of the plain output does. */
export const readCudaVersion = async (env: ToolEnv): Promise<string | undefined> =>
  /CUDA (?:UMD )?Version\s*:\s*([\d.]+)/.exec((await runTool('nvidia-smi', [], env)) ?? '')?.[1]

export type GpuProcess = { pid: number; gpuId: string; bytes: number }

export const readNvidiaProcesses = async (env: ToolEnv): Promise<GpuProcess[]> =>
  parseNvidiaProcesses((await runTool('nvidia-smi', ['--query-compute-apps=pid,gpu_uuid,used_memory', csv], env)) ?? '')

const mebibytes = (field: string | undefined): number | undefined => {
  const value = numberOf(field)
  return value === undefined ? undefined : Math.round(value * 1024 ** 2)
}

const rowsOf = (text: string): string[][] =>
  text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.split(',').map((field) => field.trim())]))

export const parseNvidiaGpus = (text: string): SystemGpu[] =>
  rowsOf(text).flatMap(([index, id, name, total, used, usage, temperature, power, driver]) => {
    if (!id || !name || numberOf(index) === undefined) return []
    const percent = numberOf(usage)
    return [
      {
        id,
        index: Number(index),
        type: 'nvidia',
        name,
        vram: mebibytes(total) ?? 0,
        memory_total: mebibytes(total) ?? 0,
        ...defined('memory_used', mebibytes(used)),
        ...defined('usage', percent === undefined ? undefined : percent / 100),
        ...defined('temperature', numberOf(temperature)),
        ...defined('power', numberOf(power)),
        ...(driver && numberOf(driver) !== undefined && { driver_version: driver }),
      },
    ]
  })

const defined = (key: string, value: number | undefined) => (value === undefined ? {} : { [key]: value })

export const parseNvidiaProcesses = (text: string): GpuProcess[] =>
  rowsOf(text).flatMap(([pid, gpuId, used]) => {
    const bytes = mebibytes(used)
    return gpuId && numberOf(pid) !== undefined && bytes !== undefined ? [{ pid: Number(pid), gpuId, bytes }] : []
  })
