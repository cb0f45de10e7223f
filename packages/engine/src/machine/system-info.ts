// Describes this machine in the format of the API.

import { existsSync } from 'node:fs'
import { readdir, statfs } from 'node:fs/promises'
import { cpus, freemem, hostname, networkInterfaces, type as osType, release, totalmem } from 'node:os'
import type { SystemCpu, SystemInfo } from '@millrace/contract/engine-frames'
import { findPython } from '../environments/python-environment.ts'
import type { GpuReader } from './gpus.ts'

export type SystemReader = () => Promise<SystemInfo>

export type SystemOptions = {
  version: string
  root: string
  runtime: string
  cgroups: string
  env: Record<string, string>
  gpus: GpuReader
}

export const createSystemReader = ({ version, root, runtime, cgroups, env, gpus }: SystemOptions): SystemReader => {
  let looked: readonly CpuTimes[] | undefined
  const python = findPython('3', env) !== undefined
  return async () => {
    const net = mainAddresses()
    const cores = cpus()
    const usage = looked && busyShare(looked, cores)
    looked = cores
    return {
      hostname: hostname(),
      engine_version: version,
      ...net,
      os: `${osType()} ${release()}`,
      docker: { socket_available: existsSync('/var/run/docker.sock'), inside: existsSync('/.dockerenv') },
      wsl2: { enabled: release().toLowerCase().includes('wsl2') },
      cpus: summariseCpus(cores).map((cpu) => (usage === undefined ? cpu : { ...cpu, usage })),
      ram: memoryOf(totalmem(), freemem()),
      volumes: await readVolume(root),
      hf_cache: { cache_dir: modelCacheFolder(root), repos: await listModels(root) },
      gpus: await gpus.gpus(),
      runtime,
      cgroups,
      kernels: [`node-${process.versions.node.split('.')[0]}`, ...(python ? ['python-3'] : [])],
    }
  }
}

/** With the field names that clients use. */
export const memoryOf = (total: number, free: number) => ({
  total,
  available: free,
  used: total - free,
  free,
  usage: total === 0 ? 0 : (total - free) / total,
})

export const summariseCpus = (list: readonly { model: string; speed: number }[]): SystemCpu[] => {
  const byModel = new Map<string, SystemCpu & { cores: number }>()
  for (const { model, speed } of list) {
    const known = byModel.get(model)
    if (known) known.cores += 1
    else
      byModel.set(model, {
        name: model,
        vendor_id: vendorOf(model),
        family: '',
        model: '',
        cores: 1,
        frequency: String(speed),
      })
  }
  return [...byModel.values()]
}

type CpuTimes = { readonly times: Readonly<Record<string, number>> }

const spent = (list: readonly CpuTimes[]): { all: number; idle: number } => {
  const all = list.reduce((sum, { times }) => sum + Object.values(times).reduce((one, ms) => one + ms, 0), 0)
  return { all, idle: list.reduce((sum, { times }) => sum + (times.idle ?? 0), 0) }
}

/** The busy share of all processors between two samples, from 0 to 1; undefined when no time has passed. */
export const busyShare = (before: readonly CpuTimes[], now: readonly CpuTimes[]): number | undefined => {
  const [from, to] = [spent(before), spent(now)]
  const all = to.all - from.all
  return all > 0 ? Math.min(1, Math.max(0, 1 - (to.idle - from.idle) / all)) : undefined
}

const vendorOf = (model: string): string => ['Intel', 'AMD', 'Apple'].find((vendor) => model.includes(vendor)) ?? ''

const mainAddresses = () => {
  const all = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter((entry) => !entry.internal)
  const ipv4 = all.find((entry) => entry.family === 'IPv4')
  const ipv6 = all.find((entry) => entry.family === 'IPv6')
  return { ipv4: ipv4?.address ?? '', ipv6: ipv6?.address ?? '', mac_address: (ipv4 ?? ipv6)?.mac ?? '' }
}

const readVolume = async (root: string): Promise<SystemInfo['volumes']> => {
  const facts = await statfs(root).catch(() => undefined)
  if (!facts) return []
  const [size, free] = [facts.blocks * facts.bsize, facts.bavail * facts.bsize]
  return [{ name: root, size, used: size - free, free, usage: size === 0 ? 0 : (size - free) / size }]
}

const listModels = async (root: string): Promise<unknown[]> => {
  const names = await readdir(modelCacheFolder(root)).catch(() => [])
  return names.filter((name) => name.startsWith('models--')).map((name) => ({ repo_id: repoIdOf(name) }))
}

export const modelCacheFolder = (root: string): string => `${root}/huggingface/hub`

const repoIdOf = (folder: string): string => folder.slice('models--'.length).replace('--', '/')

// Maps a repository id to one folder of the cache, and never to a parent folder.
export const modelFolder = (root: string, repoId: string): string | undefined =>
  /^[\w.-]+(\/[\w.-]+)?$/.test(repoId) && !repoId.split('/').some((part) => /^\.+$/.test(part))
    ? `${modelCacheFolder(root)}/models--${repoId.replace('/', '--')}`
    : undefined
