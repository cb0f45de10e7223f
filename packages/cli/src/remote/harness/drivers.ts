// The protocol of each coding agent and the arguments of its program.
import type { HarnessKind } from '@millrace/contract/harnesses'
import { acpDriver } from './acp.ts'
import { appServerDriver } from './app-server.ts'
import type { Driver } from './driver.ts'
import { perTurnDriver } from './per-turn.ts'
import { streamJsonDriver } from './stream-json.ts'

export const drivers: Readonly<Record<HarnessKind, Driver>> = {
  claude: streamJsonDriver,
  codex: appServerDriver,
  cursor: perTurnDriver,
  gemini: acpDriver(['--experimental-acp']),
  goose: acpDriver(['acp']),
  kiro: acpDriver(['acp']),
}
