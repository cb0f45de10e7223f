// AMD GPUs and their processes, as `rocm-smi` lists them.

import type { SystemGpu } from '@millrace/contract/engine-frames'
import { parseUntrustedJson } from '@millrace/contract/parse-untrusted'
import { numberOf, runTool, type ToolEnv } from './gpu-tools.ts'

const options = [
  ...['--showproductname', '--showuniqueid', '--showmeminfo', 'vram', '--showuse', '--showtemp', '--showpower'],
  ...['--showdriverversion', '--json'],
]

export const readAmdGpus = async (env: ToolEnv): Promise<SystemGpu[] | undefined> => {
  const text = await runTool('rocm-smi', options, env)
  return text === undefined ? undefined : parseAmdGpus(text)
}

type Section = Record<string, unknown>

const sectionsOf = (text: string): [string, Section][] => {
  try {
    const parsed = parseUntrustedJson(text)
    if (typeof parsed !== 'object' || parsed === null) return []
    return Object.entries(parsed).filter(
      (entry): entry is [string, Section] => typeof entry[1] === 'object' && entry[1] !== null,
    )
  } catch {
    return []
  }
}

/** Versions of the tool name their fields differently, so each value is found by a pattern. */
const fieldOf = (section: Section, pattern: RegExp): string | undefined => {
  const key = Object.keys(section).find((name) => pattern.test(name))
  return key === undefined ? undefined : String(section[key])
}

export const parseAmdGpus = (text: string): SystemGpu[] => {
  const sections = sectionsOf(text)
  const driver = sections.map(([, section]) => fieldOf(section, /^driver version$/i)).find((found) => found)
  return sections.flatMap(([name, section]) => {
    const index = /^card(\d+)$/.exec(name)?.[1]
    const total = numberOf(fieldOf(section, /^vram total memory \(b\)$/i))
    if (index === undefined || total === undefined) return []
    const unique = fieldOf(section, /^unique id$/i)?.replace(/^0x/, '')
    const known = {
      memory_used: numberOf(fieldOf(section, /^vram total used memory/i)),
      temperature: numberOf(fieldOf(section, /^temperature \(sensor (edge|junction)/i)),
      power: numberOf(fieldOf(section, /graphics package power/i)),
    }
    const usage = numberOf(fieldOf(section, /^gpu use \(%\)$/i))
    return [
      {
        id: unique && /^[\da-f]+$/i.test(unique) ? `GPU-${unique}` : index,
        index: Number(index),
        type: 'amd',
        name: fieldOf(section, /^card (series|model)$/i) ?? 'AMD GPU',
        vram: total,
        memory_total: total,
        ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined)),
        ...(usage !== undefined && { usage: usage / 100 }),
        ...(driver && { driver_version: driver }),
      },
    ]
  })
}
