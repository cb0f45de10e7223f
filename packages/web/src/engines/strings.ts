// Texts of the engine pages.
import { countOf } from '../ui/strings.ts'

export const strings = {
  title: 'Engines',
  note: 'Machines that run apps.',
  columns: { workers: 'Workers', running: 'Running', connected: 'Added' },
  platform: 'Platform',
  busyWorkers: (busy: number, all: number) => `${busy}/${all} busy`,
  runOfOtherWorkspace: 'Run of another workspace',
  emptyTitle: 'No engines in this workspace',
  emptyText:
    'Shared engines of the platform run the apps of this workspace. Engines that an owner or admin adds here are used first.',

  add: {
    title: 'Add an engine',
    button: 'Add engine',
    intro: 'Any machine that can reach this server can run apps. Run on that machine, which needs Node.js:',
    commands: 'Commands',
    result: 'The engine appears in the list when it has connected. It runs apps of this workspace.',
  },

  engine: {
    runs: 'View runs',
    load: 'Load since you opened this page',
    workers: 'Workers',
    worker: (index: number) => `Worker ${index}`,
    noWorkers: 'This engine has not registered any workers.',
    warmApps: (count: number) => countOf(count, 'warm app'),
    noWarmApps: 'No warm apps',
    gpuMemory: (size: string) => `${size} of GPU memory`,
    machine: 'Machine',
  },

  controls: {
    version: 'Version',
    latestVersion: 'Latest',
    currentVersion: (version: string) => `Current version: ${version || 'unknown'}`,
    update: 'Update engine',
    updateTitle: (name: string) => `Update ${name}`,
    updating: 'Update started. The engine finishes its current runs, then restarts with the new version',
    drain: 'Drain',
    draining: 'Draining. The engine finishes its current runs and accepts no new ones',
    restart: 'Restart',
    restartTitle: (name: string) => `Restart ${name}?`,
    restartText: 'The engine accepts no new runs, finishes its current ones, then restarts.',
    restarting: 'Restart requested. The engine finishes its current runs first',
    rename: 'Rename engine',
    deleteText: 'The engine is removed from the list. Its finished runs are kept.',
    stop: 'Stop',
    stopTitle: (name: string) => `Stop ${name}?`,
    stopText: 'Runs that are in progress on this engine are canceled. To let them finish, drain the engine first.',
  },

  access: {
    title: 'Access',
    visibilityHelp: 'Visibility does not change which runs the engine accepts',
    transferTo: 'Transfer to workspace',
    chooseWorkspace: 'Choose a workspace',
    transfer: 'Transfer engine',
    transferText: (workspace: string) =>
      `The engine accepts no more runs of this workspace. ${workspace} becomes its owner and trusts it with its runs.`,
  },

  sessions: {
    title: 'Active sessions',
    calls: (count: number) => countOf(count, 'call'),
    lastCall: 'last call',
    expires: 'expires',
    end: 'End session',
    endTitle: (app: string) => `End the session of ${app}?`,
    endText: (app: string) => `${app} loses its in-memory state, and the worker becomes available for other runs.`,
    ended: 'Session ended',
  },

  gpu: {
    title: 'GPUs',
    unknown: 'GPU',
    memory: (used: string, total: string) => `${used} of ${total}`,
    busy: (percent: number) => `${percent} % busy`,
    temperature: (celsius: number) => `${celsius} °C`,
    power: (watts: number) => `${watts} W`,
    driver: (version: string) => `driver ${version}`,
    cuda: (version: string) => `CUDA ${version}`,
  },

  load: {
    gpuUsage: 'GPU (busiest GPU)',
    workers: 'Busy workers',
    processor: 'CPU',
    memory: 'Memory',
    gpu: 'GPU memory (fullest GPU)',
    disk: 'Disk (fullest volume)',
    plot: (label: string, now: string, min: string, max: string, since: string) =>
      `${label}: ${now} now, ${min} to ${max} since ${since}`,
  },
} as const
