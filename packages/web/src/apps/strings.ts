// Texts of the app pages.
import { lifecycleLabels } from '../ui/strings.ts'

export const strings = {
  title: 'Apps',
  note: 'Run an app here or call it from your code. Each call is a run.',
  search: 'Search apps',
  own: 'Own',
  noDescription: 'No description',
  emptyTitle: 'No apps yet',
  emptyText: 'The bundled apps appear here a few seconds after the first start.',
  noMatch: (term: string) => `No results for “${term}”`,
  noMatchText: 'Change the search or create an app.',
  /** A status other than `active` is shown as a badge. */
  statuses: {
    active: lifecycleLabels.available,
    maintenance: lifecycleLabels.maintenance,
    deprecated: lifecycleLabels.deprecated,
    retired: lifecycleLabels.retired,
  },

  create: {
    button: 'New app',
    title: 'Create an app',
    intro: 'An app is a folder with Node or Python code. Create one and deploy it to this workspace with the CLI:',
    commands: 'Commands',
    result: 'The app appears here when its first version is deployed.',
  },

  page: {
    sections: 'Sections of the app',
    duplicate: 'Duplicate',
    duplicated: (ref: string) => `Duplicated as ${ref}`,
  },

  run: {
    input: 'Input',
    run: 'Run',
    function: 'Function',
    emptyTitle: 'No run yet',
    readsSecrets: 'Reads the secrets',
    emptyText: 'Fill in the form and select Run. The status, logs and output of the run appear here.',
    requirements: 'This app requires the following before it can run',
    secretValue: (key: string) => `Value of ${key}`,
    saveSecret: 'Save secret',
    secretSaved: (key: string) => `Secret ${key} saved`,
    askAdmin: 'An owner or admin of the workspace can add this secret.',
  },

  estimate: {
    exact: (amount: string) => `Cost: ${amount}`,
    about: (amount: string) => `Cost: about ${amount}`,
    range: (min: string, max: string) => `Cost: ${min} to ${max}`,
    free: 'Cost: free',
    depends: (parts: readonly string[]) => `The cost depends on ${parts.join(' and ')}`,
    /** The values that a price can depend on. */
    results: { output_meta: 'the output', elapsed_ms: 'the duration' } as Readonly<Record<string, string>>,
  },

  api: {
    title: 'Call from your code',
    createKey: 'Create API key',
    keyName: (app: string) => `${app} from the console`,
    keyCreated: 'API key created. It is in the code below and is shown only once',
    language: 'Language',
    code: (language: string) => `Code for ${language}`,
    note: 'The input is taken from the form. An API key that you create here can only read and run apps. Revoke it in Settings.',
    keyPlaceholder: 'YOUR_KEY',
    inputSchema: 'Input schema',
    outputSchema: 'Output schema',
  },

  code: {
    title: 'Code',
    files: 'Files of the app',
    fileCode: (file: string) => `Code of ${file}`,
    fetchFailed: 'Cannot download the code',
    tooLarge: 'The bundle is too large to display',
    notText: 'This file is binary or too large to display.',
    emptyTitle: 'This version has no code',
    emptyText: 'The version runs a flow, or its code is not deployed yet.',
    otherHost: 'The code is stored on another server. Download it to view it.',
    notZip: 'This file is not a zip archive, or it is incomplete',
    damagedZip: 'The file list of this zip archive is damaged',
    unknownCompression: (file: string) => `${file} uses an unsupported compression method`,
  },

  license: {
    title: 'License',
    notAccepted: 'Not accepted',
    changed: 'Changed since you accepted it',
    accepted: 'Accepted',
    accept: 'Accept license',
    done: 'License accepted',
  },

  versions: {
    current: 'Current',
    runtime: 'Runtime',
    functions: 'Functions',
    deployed: 'Deployed',
    makeCurrent: 'Make current',
    madeCurrent: 'New runs use this version',
    emptyTitle: 'No versions yet',
    compare: 'Compare versions',
    from: 'From',
    to: 'To',
    sections: 'Sections of a version',
  },

  deploy: {
    title: 'Deploy a version',
    intro: 'Upload a zip archive of the code, such as the one on the Code tab. As with ',
    introFiles:
      ', the settings are read from inf.yml and the functions from functions_schema.json. Without these files, the settings and functions of the current version are used.',
    staged: 'Keep the current version',
    stagedHelp: 'Make the new version current yourself after you have tested it',
    bundle: 'Zip archive of the new version',
    button: 'Deploy zip archive',
    progress: 'Upload progress',
    unreadable: 'Cannot read the zip archive',
    deployed: (version: string) => `Version ${version} deployed. New runs use it`,
    deployedStaged: (version: string) => `Version ${version} deployed. Make it current to use it`,
    invalidManifest: (problems: string) => `inf.yml is invalid: ${problems}`,
    emptyManifest: 'The file contains no fields',
    unknownKernel: (kernel: string) => `kernel: ${kernel} is not supported`,
    nameKept: (declared: string, name: string) => `inf.yml names the app ${declared}. The app keeps its name ${name}`,
    schemaNotObject: 'functions_schema.json must be a JSON object',
  },

  settings: {
    title: 'Settings',
    delete: 'Delete app',
    deleteText:
      'All versions of the app are deleted. Flows and triggers that use the app will fail. Existing runs are kept.',
    requirements: 'Requirements',
    runtime: 'Runtime',
    memory: 'Memory',
    gpus: 'GPUs',
    secrets: 'Secrets',
    checksum: 'Checksum',
    statusTitle: 'Status',
    changeStatus: 'Change status',
    statusChanged: 'Status changed',
    statusHelp: {
      active: 'The app can be used',
      maintenance: 'Runs are temporarily rejected with the message below',
      deprecated: 'The app can be used and shows a deprecation notice',
      retired: 'Runs are rejected, and the app is removed from the store',
    },
    message: 'Message to callers',
    messageExample: 'Back on Monday',
    transferText:
      'The reference of the app starts with the namespace of the other workspace. Flows and triggers of this workspace that use the old reference will fail.',
  },

  usage: {
    title: 'Usage in the last 30 days',
    runs: 'Runs',
    cpu: 'CPU time',
    transfer: 'Input and output',
    tokens: 'Tokens',
    cost: 'Cost',
    viewRuns: 'View runs',
  },
} as const
