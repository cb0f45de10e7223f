// What it takes to hold an app process: start it with limits, see how it ends, end it with everything it started.
// Three implementations share one contract suite: a plain process, bubblewrap, and a container engine.

import type { Readable } from 'node:stream'
import type { Kernel } from '@millrace/contract/inf-yml'

// `idle…` hold between two calls: a process that waits may remember things, but has nothing to do.
export type ProcessLimits = { memoryBytes: number; processes: number; idleMemoryBytes: number; idleCpuShare: number }

// Folders of one process: its bundle as it was deployed, what was installed for it, the input files of its current task,
// and the four it may write: its own copy of the code, and data, tmp and cache. An installer works on the bundle itself.
export type AppFolders = {
  bundle: string
  code: string
  environment: string
  files: string
  data: string
  tmp: string
  cache: string
}

// An installer may also write the bundle and its environment, and reaches the indexes the operator named. It has no runner
// and is never called.
export type Purpose = 'app' | 'install'

export type StartRequest = {
  processId: string
  purpose: Purpose
  kernel: Kernel
  folders: AppFolders
  // Built from the folders as the app will see them.
  command: (inside: AppFolders) => string[]
  env: (inside: AppFolders) => Record<string, string>
  // Where it starts; its code, unless said otherwise.
  workFolder?: (inside: AppFolders) => string
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
  // Where the engine reaches the app process, once that has said that it listens.
  endpoint: (reportedPort: number) => Promise<Endpoint>
  exited: Promise<Exit>
  // Ends the process and all that it started; settles when they are gone.
  kill: () => Promise<void>
  // A call begins; the function returned ends it. Between calls tighter limits hold.
  work: () => () => void
  // Bytes of files that its processes hold open and no folder shows; unknown when they hold too many.
  nameless: () => Promise<number | undefined>
}

export type Endpoint = { host: string; port: number } | { socketPath: string }

export type RuntimeName = 'process' | 'bubblewrap' | 'container'

export type Runtime = {
  name: RuntimeName
  // What the runner binds, `host:port` or `unix:path`; port 0 lets the system choose.
  listenOn: string
  // An interpreter as the app will see it: the same path, or the one of the same name in an image.
  interpreter: (language: Kernel['language'], path: string) => string
  // Where an app sees its folders.
  inside: (folders: AppFolders) => AppFolders
  // Further folders that each app sees as its own and nobody else does. Without a sandbox there are none.
  scratch: readonly string[]
  start: (request: StartRequest) => Promise<RunningProcess>
}
