// Guarantees: a machine with a card runs GPU apps after one command, apps share the card by declared memory, and a
// killed engine leaves nothing on the card. On a machine without a card, a stand-in for `nvidia-smi` is used, and the
// parts that need a real one are skipped.
import { expect, it } from 'vitest'
import { createGpuReader } from '../packages/engine/src/machine/gpus.ts'
import { createStandInSmi, h200 } from '../packages/engine/src/testing/nvidia-smi.ts'
import { realApp, standInApp } from './support/gpu-apps.ts'
import { type Card, proveGpu } from './support/gpu-proof.ts'

/** The first card; throws when there is none. */
const cardOn = async (path: string): Promise<Card> => {
  const reader = createGpuReader({ PATH: path })
  const read = async () => (await reader.gpus())[0] ?? {}
  const { vram } = await read()
  if (!vram) throw new Error('This machine has no card')
  return { bytes: vram, used: async () => (await read()).memory_used ?? 0 }
}

const realPath = process.env.PATH ?? ''
const hasCard = await cardOn(realPath).then(
  () => true,
  () => false,
)

it.skipIf(hasCard)('with a stand-in for nvidia-smi', async () => {
  const smi = createStandInSmi([h200(0)])
  try {
    const findings = await proveGpu({
      card: await cardOn(smi.path),
      appSource: standInApp(smi.apps, h200(0).id),
      env: { PATH: smi.path, ENGINE_RUNTIME: 'process' },
      log: (line) => console.log(line),
    })
    expect(findings.filter(({ holds }) => !holds)).toEqual([])
  } finally {
    smi.remove()
  }
})

it.skipIf(!hasCard)('with the card of this machine', async () => {
  const findings = await proveGpu({
    card: await cardOn(realPath),
    appSource: realApp,
    env: {},
    log: (line) => console.log(line),
  })
  expect(findings.filter(({ holds }) => !holds)).toEqual([])
})
