// Guarantees: the banner shows the GPUs that the engine program finds; without a tool the program is not started.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { findGpus } from './find-gpus.ts'

const script = `#!/bin/sh
case "$*" in
  *--query-gpu=*) echo '0, GPU-7c9e6679-7425-40de-944b-e07fc1f90070, NVIDIA H200, 143771, 4, 0, 31, 76.53, 580.159.03' ;;
  *) echo 'CUDA Version: 13.0' ;;
esac
`

const withPath = (path: string): void => {
  vi.stubEnv('PATH', path)
  onTestFinished(() => void vi.unstubAllEnvs())
}

it('the card that nvidia-smi lists', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-find-gpus-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'nvidia-smi'), script)
  await chmod(join(folder, 'nvidia-smi'), 0o755)
  withPath(`${folder}:${process.env.PATH}`)
  expect(await findGpus()).toMatchObject([{ name: 'NVIDIA H200', vram: 143_771 * 2 ** 20, cuda_version: '13.0' }])
})

it('none without a tool', async () => {
  withPath('/nonexistent')
  expect(await findGpus()).toEqual([])
})
