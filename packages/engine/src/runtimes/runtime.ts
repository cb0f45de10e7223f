// What it takes to hold an app process: start it with limits, see how it ends, end it with everything it started.
// Three implementations share one contract suite: a plain process, bubblewrap, and a container engine.

import type { Readable } from 'node:stream'
import type { Kernel } from '@millrace/contract/inf-yml'

export type ProcessLimits = { memoryBytes: number; processes: number }

// Folders of one process: its bundle, the input files of its current task, and the three it may write.
export type AppFolders = { code: string; files: string; data: string; tmp: string; cache: string }

export type StartRequest = {
  processId: string
  kernel: Kernel
  folders: AppFolders
  // Built from the folders as the app will see them.
  command: (inside: AppFolders) => string[]
  env: (inside: AppFolders) => Record<string, string>
  limits: ProcessLimits
  gpuIds: readonly string[]
  // Further folders and files of the host that this app's interpreter needs.
  readOnly: readonly string[]
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null; overLimit?: string }

export type RunningProcess = {
  stdout: Readable
  stderr: Readable
  inside: AppFolders
  // Where the engine reaches a port the app process listens on.
  endpoint: (reportedPort: number) => { host: string; port: number }
  exited: Promise<Exit>
  // Ends the process and all that it started; settles when they are gone.
  kill: () => Promise<void>
  // Limits are watched only while work is going on: an idle process is not sampled.
  watch: () => () => void
}

export type RuntimeName = 'process' | 'bubblewrap' | 'container'

export type Runtime = {
  name: RuntimeName
  // The address the runner binds, as `host:port`; port 0 lets the system choose.
  listenOn: string
  // An interpreter as the app will see it: the same path, or the one of the same name in an image.
  interpreter: (language: Kernel['language'], path: string) => string
  start: (request: StartRequest) => Promise<RunningProcess>
}
