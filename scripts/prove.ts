// `npm run prove -- <name> [--size large] [argument]`: runs one proof of scripts/proofs.ts; without a name lists them.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { type Proof, proofs } from './proofs.ts'
import { root } from './source-files.ts'

export type ProofRun = { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }

/** The command of a proof, or one sentence that names the mistake. */
export const planProof = (
  words: readonly string[],
  table: Readonly<Record<string, Proof>> = proofs,
): ProofRun | string => {
  const flag = words.indexOf('--size')
  const size = flag === -1 ? 'small' : words[flag + 1]
  const [name = '', ...given] = words.filter((_, index) => flag === -1 || (index !== flag && index !== flag + 1))
  const proof = Object.hasOwn(table, name) ? table[name] : undefined
  if (proof === undefined) return name === '' ? 'Name a proof' : `There is no proof named ${name}`
  if (size !== 'small' && size !== 'large') return 'The size is small or large'
  const { argument } = proof
  if (argument !== undefined && given.length !== 1) return `${name} needs one argument: ${argument.name}`
  if (argument === undefined && given.length > 0) return `${name} takes no argument`
  const env: Record<string, string> = size === 'large' ? { ...proof.large } : {}
  if (argument !== undefined) env[argument.variable] = given[0] ?? ''
  return { args: [...proof.tests, ...(proof.options ?? [])], env }
}

const list = (): string =>
  Object.entries(proofs)
    .map(([name, { about, argument }]) => `  ${[name, argument?.name].filter(Boolean).join(' ').padEnd(18)} ${about}`)
    .join('\n')

const main = (): void => {
  const plan = planProof(process.argv.slice(2))
  if (typeof plan === 'string') {
    console.error(`${plan}\n\nUsage: npm run prove -- <name> [--size small|large]\n\n${list()}`)
    process.exitCode = 2
    return
  }
  const { status } = spawnSync(process.execPath, [join(root, 'scripts/test.ts'), ...plan.args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...plan.env, ...process.env },
  })
  process.exitCode = status ?? 1
}

if (import.meta.main) main()
