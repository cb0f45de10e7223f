// Proofs: tests that also run at a larger size than in `npm test`. The small size is that of `npm test`.

export type Proof = {
  readonly about: string
  /** Ends of paths of test files; each matches one file. */
  readonly tests: readonly string[]
  /** Environment of the large size. A variable that is already set keeps its value. */
  readonly large: Readonly<Record<string, string>>
  /** Further options of the test runner, such as a longer limit per test. */
  readonly options?: readonly string[]
  /** A positional argument that the tests read from the environment. */
  readonly argument?: { readonly name: string; readonly variable: string }
}

export const proofs: Readonly<Record<string, Proof>> = {
  'agent-kills': {
    about: 'agents finish every run while server and engine are killed',
    tests: ['e2e/agents-kill.test.ts'],
    large: { AGENT_RUNS: '200', AGENT_TURNS: '10', AGENT_KILLS: '100' },
  },
  'approval-races': {
    about: 'an approval is decided once when several callers race',
    tests: ['agents/chats/interrupts/approval-race.test.ts'],
    large: { APPROVAL_RACES: '10000' },
    options: ['--testTimeout=7200000'],
  },
  catalogue: {
    about: 'apps of a folder have valid manifests, load and run; the large size installs their packages',
    tests: ['e2e/catalogue-corpus.test.ts'],
    large: { CATALOGUE_INSTALL: '1' },
    options: ['--testTimeout=900000'],
    argument: { name: 'DIR', variable: 'CATALOGUE_DIR' },
  },
  clients: {
    about:
      'versions of the published client run, stream, upload and chat; the large size installs all from the registry',
    tests: ['e2e/sdk/clients.test.ts'],
    large: { CLIENT_VERSIONS: 'all' },
    options: ['--testTimeout=120000', '--hookTimeout=120000'],
  },
  crash: {
    about: 'no accepted run is lost or done twice when the server is killed',
    tests: ['e2e/crash.test.ts'],
    large: { CRASH_KILLS: '50' },
  },
  'cron-oracle': {
    about: 'cron times agree with a second implementation in every time zone',
    tests: ['automation/triggers/cron-oracle.test.ts'],
    large: { CRON_ORACLE_EVERY: '1' },
  },
  dedup: {
    about: 'repeated deliveries start one run, across restarts',
    tests: ['e2e/triggers-dedup.test.ts'],
    large: { DEDUP_DELIVERIES: '20000', DEDUP_RESTARTS: '5' },
  },
  disk: {
    about: 'disk space of deleted history is reused',
    tests: ['platform/db/disk-discipline.test.ts'],
    large: { DISK_MB: '5000' },
  },
  failover: {
    about: 'the server survives a failover of PostgreSQL without a restart',
    tests: ['e2e/failover.test.ts'],
    large: { FAILOVER_MS: '10000' },
  },
  fleet: {
    about: 'three servers on one database survive kills, partitions, read-only periods and an upgrade',
    tests: ['e2e/fleet.test.ts'],
    large: { FLEET_KILLS: '12', FLEET_PACE: '0.5', FLEET_READ_ONLY_MS: '10000' },
  },
  'flow-kills': {
    about: 'flow runs finish with each node run once while the server is killed',
    tests: ['e2e/flows-kill.test.ts'],
    large: { FLOW_KILLS: '100', FLOW_RUNS: '200' },
  },
  'loop-kills': {
    about: 'kills of the server change no result of a loop, a wait or an error output',
    tests: ['e2e/flow-loops-kill.test.ts'],
    large: { LOOP_KILLS: '100', LOOP_ITEMS: '1000' },
  },
  fuzz: {
    about: 'malformed requests never cause a 5xx or block other requests',
    tests: ['packages/server/src/start/fuzz.test.ts'],
    large: { FUZZ_REQUESTS: '200000' },
  },
  'fuzz-remotes': {
    about: 'malformed frames never stop the server or a remote',
    tests: ['agents/remotes/fuzz.test.ts', 'remote/supervisor-fuzz.test.ts'],
    large: { REMOTE_FUZZ_FRAMES: '100000' },
  },
  gpu: {
    about: 'apps share a graphics card by declared memory; a machine without a card uses a stand-in for nvidia-smi',
    tests: ['e2e/gpu.test.ts'],
    large: {},
    options: ['--testTimeout=900000'],
  },
  idempotency: {
    about: 'one effect per idempotency key, across restarts',
    tests: ['e2e/idempotency.test.ts'],
    large: { IDEMPOTENCY_KEYS: '10000', IDEMPOTENCY_RESTARTS: '5' },
  },
  'kill-matrix': {
    about: 'no accepted task is lost when server, engine, app process or connection dies',
    tests: ['e2e/kill-matrix.test.ts', 'e2e/late-results.test.ts', 'e2e/streams-chaos.test.ts'],
    large: { KILL_MATRIX: '30', LATE_RESULTS: '100', STREAM_CLIENTS: '500', STREAM_TASKS: '200' },
    options: ['--no-file-parallelism'],
  },
  'knowledge-kills': {
    about: 'concurrent edits of knowledge survive kills',
    tests: ['e2e/knowledge.test.ts'],
    large: { KNOWLEDGE_KILLS: '50', KNOWLEDGE_EDITORS: '100' },
  },
  'paid-kills': {
    about: 'the ledger adds up when the server is killed during paid runs',
    tests: ['e2e/paid-kills.test.ts'],
    large: { PAID_KILLS: '20' },
  },
  readme: {
    about: 'the quick start of the README works in a fresh clone, with npm install',
    tests: ['e2e/readme.test.ts'],
    large: { README_INSTALL: '1' },
  },
  'remote-flood': {
    about: 'the output of a command on a remote has backpressure',
    tests: ['e2e/remotes.test.ts'],
    large: { REMOTE_FLOOD_MB: '10000' },
    options: ['-t', 'floods'],
  },
  remotes: {
    about: 'commands on remotes survive broken connections and kills',
    tests: ['e2e/remotes-kill.test.ts'],
    large: { REMOTE_COMMANDS: '100', REMOTE_CUTS: '50', REMOTE_KILLS: '20', REMOTE_LIMIT_MS: '3600000' },
  },
  'rental-histories': {
    about: 'random histories of rented machines are paid for exactly',
    tests: ['machines/rentals/histories.test.ts'],
    large: { HISTORIES: '1000' },
  },
  'rental-kills': {
    about: 'no rented machine is lost when the server is killed',
    tests: ['e2e/rental-kills.test.ts'],
    large: { RENTAL_KILLS: '200' },
  },
  rentals: {
    about: 'tasks finish and unused time is refunded when a rented machine dies',
    tests: ['e2e/rentals.test.ts'],
    large: { RENTAL_TASKS: '100' },
  },
  retention: {
    about: 'no table grows without bound over a year of history',
    tests: ['platform/db/retention-rules.test.ts'],
    large: { HISTORY_ROWS: '1000' },
  },
  rotation: {
    about: 'keys rotate under load and no value is left under an old key',
    tests: ['e2e/key-rotation.test.ts'],
    large: { ROTATION_SECONDS: '60', ROTATION_ROUNDS: '5' },
  },
  'scope-chains': {
    about: 'no link of a chain of authority has a scope that its parent lacks',
    tests: ['agents/chats/runs/scope-chains.test.ts'],
    large: { SCOPE_CHAINS: '100000' },
    options: ['--testTimeout=600000'],
  },
  'search-isolation': {
    about: 'a search never returns a row of another workspace',
    tests: ['content/search/isolation.test.ts'],
    large: { SEARCH_ISOLATION: '20000' },
  },
  'search-quality': {
    about: 'search results are no worse than before; the large size prints the figures',
    tests: ['content/search/quality.test.ts'],
    large: { SEARCH_QUALITY: 'print' },
  },
  soak: {
    about: 'memory and latency do not grow under steady load',
    tests: ['e2e/soak.test.ts'],
    large: { SOAK_MINUTES: '60' },
  },
  uploads: {
    about: 'acknowledged uploads are complete, others leave nothing behind, and memory stays low',
    tests: ['e2e/uploads.test.ts'],
    large: { UPLOAD_FILES: '100', UPLOAD_KILLS: '5', UPLOAD_LARGE_MIB: '1024' },
  },
}
