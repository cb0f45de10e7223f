// The operator's commands by name, in the order of the help text.
import { backup, restore } from './backup-commands.ts'
import { auditCheck, ledgerCheck, searchIndex } from './check-commands.ts'
import { doctor } from './doctor.ts'
import { entitlement, ipBlock } from './limit-commands.ts'
import { createKey, grantPlatform, signIn } from './people-commands.ts'
import { usagePolicy } from './policy-commands.ts'
import { rotateData, rotateMaster } from './rotation-commands.ts'
import { storage } from './storage-command.ts'
import type { Command } from './words.ts'

export const commands: Readonly<Record<string, Command>> = {
  'sign-in': signIn,
  'grant-platform': grantPlatform,
  keys: createKey,
  'ip-block': ipBlock,
  entitlement,
  'usage-policy': usagePolicy,
  'verify-audit': auditCheck,
  'verify-ledger': ledgerCheck,
  'rotate-master-key': rotateMaster,
  'rotate-data-key': rotateData,
  reindex: searchIndex,
  backup,
  restore,
  storage,
  doctor,
}
