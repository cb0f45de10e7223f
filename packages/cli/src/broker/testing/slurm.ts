// A Slurm cluster of one machine for a test: a controller and a node on free ports, in a folder of their own.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Slurm = { env: NodeJS.ProcessEnv; stop(): Promise<void> }

// Debian installs the daemons in folders that are only in the PATH of root.
const env = { ...process.env, PATH: [process.env.PATH, '/usr/sbin'].join(delimiter) }

export const hasSlurm = (): boolean =>
  ['slurmctld', 'slurmd', 'sbatch'].every((name) =>
    env.PATH.split(delimiter).some((folder) => existsSync(join(folder, name))),
  )

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const settings = async (folder: string, node: string): Promise<string> => {
  const user = userInfo().username
  return `ClusterName=test
SlurmctldHost=${node}(127.0.0.1)
SlurmctldPort=${await freePort()}
SlurmdPort=${await freePort()}
SlurmUser=${user}
SlurmdUser=${user}
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
NodeName=${node} NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`
}

/** Resolves when the node accepts jobs. */
export const startSlurm = async (): Promise<Slurm> => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-slurm-'))
  const node = hostname().split('.')[0] ?? 'localhost'
  const file = join(folder, 'slurm.conf')
  for (const name of ['state', 'spool']) await mkdir(join(folder, name))
  await writeFile(file, await settings(folder, node))
  const environment = { ...env, SLURM_CONF: file }
  const start = (program: string, ...words: string[]): ChildProcess =>
    spawn(program, ['-D', '-f', file, ...words], { env: environment, stdio: 'ignore' })
  const daemons = [start('slurmctld', '-i'), start('slurmd', '-N', node)]
  const nodes = (): string => {
    try {
      return execFileSync('sinfo', ['--noheader'], {
        env: environment,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      })
    } catch {
      return ''
    }
  }
  while (!nodes().includes(' idle ')) {
    if (daemons.some(({ exitCode }) => exitCode !== null)) throw new Error('Slurm ended before it was ready')
    await sleep(100)
  }
  return {
    env: environment,
    stop: async () => {
      const ended = daemons.map((daemon) => once(daemon, 'exit'))
      for (const daemon of daemons) daemon.kill()
      await Promise.all(ended)
      await rm(folder, { recursive: true, force: true })
    },
  }
}
