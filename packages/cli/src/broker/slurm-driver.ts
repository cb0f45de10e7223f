// Slurm: an engine is a batch job, named after the machine's id.
import type { Machine } from '@millrace/contract/broker'
import { type Driver, engineEnvironment, type Facts, limitSeconds } from './driver.ts'
import { runCommand } from './run-command.ts'

export type SlurmOptions = {
  /** The command that starts an engine on a node, such as `millrace engine start`. The environment configures it. */
  readonly engineCommand: string
  /** Additional options of sbatch for every machine, such as an account or a partition. */
  readonly sbatchOptions: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

const jobName = (id: string): string => `millrace-${id}`

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The key is part of the job script on sbatch's stdin, which the cluster shows only to the owner of the job. */
export const jobScript = (machine: Machine, { engineCommand }: Pick<SlurmOptions, 'engineCommand'>): string =>
  [
    '#!/bin/sh',
    ...Object.entries(engineEnvironment(machine)).map(([name, value]) => `export ${name}=${quoted(value)}`),
    `export MILLRACE_ENGINE_CACHE="\${TMPDIR:-/tmp}/millrace-${machine.id}"`,
    'mkdir -p -m 700 "$MILLRACE_ENGINE_CACHE"',
    `exec ${engineCommand}`,
    '',
  ].join('\n')

/** The instance type is options of sbatch: `--gpus=1 --mem=32G`. */
const optionsOf = ({ cloud_instance_type: type }: Machine): string[] =>
  type.split(/\s+/).filter((word) => /^--?[a-z]/i.test(word))

const statuses: Record<string, string> = {
  PENDING: 'pending_provider',
  CONFIGURING: 'pending',
  RUNNING: 'active',
  COMPLETING: 'deleting',
  SUSPENDED: 'error',
}

type Job = { id: string; name: string; state: string; node: string }

export const createSlurmDriver = (options: SlurmOptions): Driver => {
  const run = async (words: readonly string[], input = ''): Promise<string> => {
    const { code, out, err } = await runCommand(words, input, options.env)
    if (code !== 0) throw new Error(`${words[0]} ended with ${code}: ${err.trim().slice(0, 500)}`)
    return out
  }
  const jobs = async (...filter: string[]): Promise<Job[]> => {
    const out = await run(['squeue', '--noheader', '--states=all', '--format=%i|%j|%T|%N', ...filter])
    return out
      .split('\n')
      .map((line) => line.trim().split('|'))
      .filter(([id = '', name = '', state = '']) => id !== '' && name.startsWith('millrace-') && state in statuses)
      .map(([id = '', name = '', state = '', node = '']) => ({ id, name, state, node }))
  }
  const factsOf = ({ id, state, node }: Job): Facts & { cloud_assigned_id: string } => ({
    status: statuses[state] ?? 'error',
    cloud_assigned_id: id,
    ...(node === '' ? {} : { ip: node }),
  })
  const find = async (id: string): Promise<Job | undefined> => (await jobs(`--name=${jobName(id)}`))[0]
  return {
    create: async (machine) => {
      const known = await find(machine.id)
      if (known) return factsOf(known)
      const words = [
        'sbatch',
        '--parsable',
        `--job-name=${jobName(machine.id)}`,
        // The options of the operator come last and override the others.
        `--time=${Math.ceil(limitSeconds(machine, new Date()) / 60)}`,
        '--no-requeue',
        '--export=PATH',
        '--output=/dev/null',
        ...options.sbatchOptions,
        ...optionsOf(machine),
      ]
      const out = await run(words, jobScript(machine, options))
      return { status: 'pending_provider', cloud_assigned_id: out.trim().split(';')[0] ?? '' }
    },
    status: async (id) => {
      const job = await find(id)
      return job ? factsOf(job) : null
    },
    remove: async (id) => {
      await run(['scancel', `--name=${jobName(id)}`])
    },
    list: async () =>
      (await jobs()).map(({ name, state }) => ({
        id: name.slice('millrace-'.length),
        status: statuses[state] ?? 'error',
      })),
  }
}
