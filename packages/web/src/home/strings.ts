// Texts of the home page.
import { countOf } from '../ui/strings.ts'

export const strings = {
  title: 'Home',
  greeting: (name: string) => `Hello, ${name}`,
  overview: 'Overview of your workspace',
  runApp: 'Run an app',
  approvalsPending: (count: number) => `${countOf(count, 'pending request')} in your inbox`,
  invited: (workspaces: string) => `You have an invitation to ${workspaces}`,
  unnamedWorkspace: 'a workspace',
  latestFailures: 'Latest failures',
  noFailures: 'No failures in the last 24 hours',
  activeRuns: 'Active runs',
  noActiveRuns: 'No active runs',

  outcomes: {
    lastDay: 'Runs by outcome, last 24 hours',
    latest: (count: string) => `Latest ${count} runs by outcome`,
    emptyTitle: 'No runs in the last 24 hours',
    emptyText: 'This chart shows the runs that you and your triggers start, grouped by half hour.',
    chooseApp: 'Choose an app',
    chart: 'Runs per half hour by outcome',
    bar: (time: string, completed: number, failed: number, other: number) =>
      `${time}: ${completed} completed, ${failed} failed, ${other} other`,
    completed: 'completed',
    failed: 'failed',
    other: 'other',
    now: 'now',
  },

  figures: {
    runs: 'Runs, 24 hours',
    failed: (count: string) => `${count} failed`,
    median: 'Median duration',
    medianNote: 'p50 of finished runs',
    p95: 'p95 duration',
    p95Note: 'p95 of finished runs',
    queued: 'Queued',
    running: (count: string) => `${count} running`,
    workers: 'Busy workers',
    busyEngines: (busy: number, all: number) => `${busy} of ${countOf(all, 'engine')} busy`,
    sharedEngines: 'Shared engines',
    cost: 'Cost, 24 hours',
    costNote: 'Runs and machines',
  },

  firstSteps: {
    title: 'First steps',
    hide: 'Hide first steps',
    runApp: 'Run an app',
    runAppNote: 'Fill in a form and see the result',
    buildFlow: 'Build a flow',
    buildFlowNote: 'Connect the output of one app to the input of the next',
    createTrigger: 'Create a trigger',
    createTriggerNote: 'Start runs on a schedule, by webhook or manually',
    createKey: 'Create an API key',
    createKeyNote: 'Call the API from your code',
  },

  welcome: {
    title: 'Welcome to Millrace',
    use: 'Who will use this workspace?',
    uses: {
      alone: { title: 'Only me', text: 'A personal workspace. You can create a team workspace later.' },
      team: { title: 'My team', text: 'You can invite people, and everything new is visible to the workspace.' },
    },
    yourName: 'Your name',
    workspaceName: 'Workspace name',
    workspaceExample: 'Acme Engineering',
    namespace: 'Namespace',
    namespaceHelp: (namespace: string) =>
      `Apps of this workspace are named ${namespace || 'namespace'}/name. You cannot change the namespace later.`,
    submit: 'Set up workspace',
    later: 'Later',
    done: (workspace: string) => `Workspace ${workspace} is set up`,
  },
} as const
