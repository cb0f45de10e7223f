// Reads `inf.yml` and says everything that is wrong with it at once.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { InfYml, parseKernel, type Settled, settleManifest } from '@millrace/contract/inf-yml'
import { Compile } from 'typebox/compile'
import { parse as parseYaml } from 'yaml'
import { CliFailure, usage } from '../failures.ts'

const check = Compile(InfYml)

export const readManifest = async (folder: string): Promise<Settled> => {
  const path = join(folder, 'inf.yml')
  const text = await readFile(path, 'utf8').catch(() => {
    throw usage(`There is no inf.yml in ${folder}; make one with \`millrace app init\``)
  })
  return parseManifest(text)
}

export const parseManifest = (text: string): Settled => {
  const manifest = parsed(text)
  if (!check.Check(manifest)) {
    const lines = [...check.Errors(manifest)].map(({ instancePath, message }) => `${fieldOf(instancePath)}: ${message}`)
    throw new CliFailure('inf.yml is not right', { code: 'invalid_manifest', details: lines })
  }
  if (!parseKernel(manifest.kernel))
    throw new CliFailure('inf.yml is not right', {
      code: 'invalid_manifest',
      details: [`kernel: ${manifest.kernel} is not known`],
    })
  return settleManifest(manifest)
}

const parsed = (text: string): unknown => {
  try {
    return parseYaml(text)
  } catch (error) {
    throw new CliFailure('inf.yml is not YAML', { code: 'invalid_manifest', details: [(error as Error).message] })
  }
}

const fieldOf = (pointer: string): string => pointer.slice(1).replaceAll('/', '.') || 'inf.yml'
