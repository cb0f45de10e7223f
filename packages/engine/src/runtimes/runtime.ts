// Interface of a runtime: starts an app process with limits, reports its end, and ends it with all its descendants.
// Three implementations share one contract suite: plain process, bubblewrap, and container.

import type { Readable } from 'node:stream'
import type { Kernel } from '@millrace/contract/inf-yml'

// `idle…` limits apply between two calls: an idle process may keep memory but not work.
export type ProcessLimits = { memoryBytes: number; processes: number; idleMemoryBytes: number; idleCpuShare: number }

// Folders of one process: its bundle as deployed, its installed packages, the input files of its current task, and four
// that it may write: its own copy of the code, data, tmp and cache. An installer works on the bundle itself.
export type AppFolders = {
  bundle: string
  code: string
  environment: string
  files: string
  data: string
  tmp: string
  cache: string
}

// An installer may also write the bundle and its environment, and reach the operator's package indexes. It has no
// runner and is never called.
export type Purpose = 'app' | 'install'

export type StartRequest = {
  processId: string
  purpose: Purpose
  kernel: Kernel
  folders: AppFolders
  // Built from the folders as seen inside.
  command: (inside: AppFolders) => string[]
  env: (inside: AppFolders) => Record<string, string>
  // The working folder; default: the code.
  workFolder?: (inside: AppFolders) => string
  limits: ProcessLimits
  gpuIds: readonly string[]
  // Further host folders and files that this app's interpreter needs.
  readOnly: readonly string[]
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null; overLimit?: string }

export type RunningProcess = {
  stdout: Readable
  stderr: Readable
  inside: AppFolders
  // The address of the app process, after it has reported that it listens.
  endpoint: (reportedPort: number) => Promise<Endpoint>
  exited: Promise<Exit>
  // Ends the process and all its descendants; settles when they have ended.
  kill: () => Promise<void>
  // Starts a call; the returned function ends it. Stricter limits apply between calls.
  work: () => () => void
  // Bytes of open files without a name; undefined when too many files are open.
  unlinkedBytes: () => Promise<number | undefined>
  // The ids of its processes on the host; empty where the host does not know them.
  pids: () => readonly number[]
}

export type Endpoint = { host: string; port: number } | { socketPath: string }

export type RuntimeName = 'process' | 'bubblewrap' | 'container'

export type Runtime = {
  name: RuntimeName
  // Address for the runner, `host:port` or `unix:path`; with port 0 the system chooses.
  listenOn: string
  // The path of an interpreter as seen inside: the same path, or the program of that name in an image.
  interpreter: (language: Kernel['language'], path: string) => string
  // The paths of an app's folders as seen inside.
  inside: (folders: AppFolders) => AppFolders
  // Further folders that are private to each app. Empty without a sandbox.
  scratch: readonly string[]
  start: (request: StartRequest) => Promise<RunningProcess>
}
