// Brokers offer machines for rent to a server: from a program of the operator, a Slurm cluster or Kubernetes.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createCommandDriver } from '../broker/command-driver.ts'
import type { Driver } from '../broker/driver.ts'
import { findCluster } from '../broker/kubernetes-api.ts'
import { createKubernetesDriver } from '../broker/kubernetes-driver.ts'
import { createBroker } from '../broker/server.ts'
import { createSlurmDriver } from '../broker/slurm-driver.ts'
import {
  type Cli,
  type Command,
  type CommandOption,
  type Options,
  type Result,
  text,
  texts,
  wholeNumber,
} from '../command.ts'
import { usage } from '../failures.ts'

const commonOptions: readonly CommandOption[] = [
  ['--types <path>', 'JSON file with the offered machine types: {"types": [...]}'],
  ['--host <address>', 'address to listen on (default 127.0.0.1)'],
  ['--port <port>', 'port to listen on (default 7790; 0 picks a free one)'],
  ['--token <token>', 'token that the server must send (better: set MILLRACE_BROKER_TOKEN)'],
]

const required = (value: string | undefined, what: string): string => {
  if (value === undefined || value === '') throw usage(`${what} is required`)
  return value
}

/** Listens until a signal arrives. Its machines keep running, and the next broker finds them. */
const serve = async (cli: Cli, options: Options, driver: Driver): Promise<Result> => {
  const token = required(text(options, 'token') ?? cli.shell.env.MILLRACE_BROKER_TOKEN, 'MILLRACE_BROKER_TOKEN')
  const path = required(text(options, 'types'), '--types')
  const readTypes = async (): Promise<unknown> => JSON.parse(await readFile(path, 'utf8'))
  await readTypes().catch((error: Error) => {
    throw usage(`--types: ${error.message}`)
  })
  const server = createBroker({ token, driver, types: readTypes, log: (line) => cli.shell.err(`${line}\n`) })
  server.listen(wholeNumber(options, 'port') ?? 7790, text(options, 'host') ?? '127.0.0.1')
  await once(server, 'listening')
  const { address, port } = server.address() as AddressInfo
  cli.shell.err(`Listening on http://${address}:${port}\n`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  server.close()
  server.closeAllConnections()
  return { text: '', json: { ended: 'done' } }
}

const command: Command = {
  words: 'broker command',
  summary: 'Offer machines through a program that implements create, status, delete and list',
  options: commonOptions,
  moreOptions: true,
  example: 'millrace broker command --types offers.json -- ./my-cloud.sh',
  run: (cli, args, options) => {
    if (args.length === 0) throw usage('A program is required', 'millrace broker command --types FILE -- PROGRAM')
    return serve(cli, options, createCommandDriver(args, cli.shell.env))
  },
}

const slurm: Command = {
  words: 'broker slurm',
  summary: 'Offer the machines of a Slurm cluster; each is a batch job',
  options: [
    ...commonOptions,
    ['--engine-command <command>', 'command that starts an engine on a node (default: millrace engine start)'],
    ['--sbatch <option>', 'additional option for sbatch, such as --partition=gpu', 'repeats'],
  ],
  example: 'millrace broker slurm --types offers.json --sbatch=--partition=gpu',
  run: (cli, _args, options) =>
    serve(
      cli,
      options,
      createSlurmDriver({
        engineCommand: text(options, 'engineCommand') ?? 'millrace engine start',
        sbatchOptions: texts(options, 'sbatch'),
        env: cli.shell.env,
      }),
    ),
}

const kubernetes: Command = {
  words: 'broker kubernetes',
  summary: 'Offer the machines of a Kubernetes cluster; each is a Pod',
  options: [
    ...commonOptions,
    ['--image <image>', 'engine image, built from deploy/engine.Containerfile'],
    ['--namespace <name>', 'namespace of the Pods (default: default)'],
    [
      '--cluster <url>',
      'address of the API server, such as the one of kubectl proxy (default: the cluster that the broker runs in)',
    ],
    ['--token-file <path>', 'token for that address'],
  ],
  example: 'millrace broker kubernetes --types offers.json --image registry.example/millrace-engine:0.1',
  run: async (cli, _args, options) => {
    const image = required(text(options, 'image'), '--image')
    const cluster = await findCluster(cli.shell.env, {
      ...(text(options, 'cluster') === undefined ? {} : { url: text(options, 'cluster') }),
      ...(text(options, 'tokenFile') === undefined ? {} : { tokenFile: text(options, 'tokenFile') }),
    }).catch((error: Error) => {
      throw usage(error.message)
    })
    return serve(
      cli,
      options,
      createKubernetesDriver(cluster, { image, namespace: text(options, 'namespace') ?? 'default' }),
    )
  },
}

export const brokerCommands: readonly Command[] = [command, slurm, kubernetes]
