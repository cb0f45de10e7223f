// Parsers other than parse-untrusted, each with the reason why its input is ours or is already limited.
import type { Exceptions } from './source-files.ts'

const own = 'the server wrote this text itself'
const installed = 'a file of the installation or of an installed package'
const written = 'writes a query from a value that is not a literal'

export const trustedParsers: Exceptions = {
  'packages/contract/src/exact-numbers.ts JSON.parse': 'one name of a JSON text that was parsed before',
  'packages/contract/src/parse-untrusted.ts JSON.parse': 'the parser itself',
  'packages/contract/src/parse-untrusted.ts URLSearchParams': 'the parser itself',
  'packages/engine/src/bounded-json.ts JSON.parse':
    'checks the bounds first and reports them with the errors of the engine',
  'packages/engine/src/environments/node-environment.ts JSON.parse': installed,
  'packages/engine/src/program.ts JSON.parse': installed,
  'packages/engine/src/settings.ts yaml': 'the settings of the person who starts the engine',
  'packages/server/src/accounts/access/idempotency.ts JSON.parse': own,
  'packages/server/src/accounts/identity/operations.ts URLSearchParams': 'from a validated object, for a library',
  'packages/server/src/accounts/identity/pages/sign-in-pages.ts URLSearchParams': written,
  'packages/server/src/accounts/identity/pages/sign-in-routes.ts URLSearchParams': written,
  'packages/server/src/agents/chats/loop/model-answer.ts JSON.parse':
    'checks the bounds first; the message of the parser helps the model to correct its call',
  'packages/server/src/agents/mcp-servers/calls.ts JSON.parse':
    'an answer that was parsed before, written again to mask secrets',
  'packages/server/src/agents/remotes/execs.ts JSON.parse': own,
  'packages/server/src/connections/credentials/values.ts JSON.parse': own,
  'packages/server/src/automation/flow-runs/engine/replay.ts JSON.parse': own,
  'packages/server/src/content/search/candidates.ts JSON.parse': own,
  'packages/server/src/content/search/memory/tables.ts JSON.parse': own,
  'packages/server/src/execution/connectors/openapi/document.ts yaml':
    'on a thread of its own with limits of time and memory; the size of the text is limited before',
  'packages/server/src/execution/apps/shipped.ts JSON.parse': installed,
  'packages/server/src/machines/instances/clouds.ts JSON.parse': own,
  'packages/server/src/money/billing/closing.ts JSON.parse': own,
  'packages/server/src/platform/bus/nats.ts JSON.parse': own,
  'packages/server/src/platform/bus/postgres.ts JSON.parse': own,
  'packages/server/src/platform/db/embedded/binaries.ts JSON.parse': installed,
  'packages/server/src/platform/http/examples.ts JSON.parse': installed,
  'packages/server/src/platform/http/reference-page.ts URLSearchParams': written,
  'packages/server/src/platform/http/reference-worker.ts JSON.parse': installed,
  'packages/server/src/platform/http/snippets.ts .json()': 'the text of an example for readers',
  'packages/server/src/platform/mail/queue.ts JSON.parse': own,
  'packages/server/src/start/log.ts JSON.parse': own,
  'packages/server/src/start/operator/backup/restore.ts JSON.parse':
    'rows of a backup, in batches that its reader limits in bytes',
  'packages/server/src/surfaces/mcp/tools.ts JSON.parse': own,
}
