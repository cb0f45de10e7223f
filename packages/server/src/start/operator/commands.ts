// The operator's commands by name, in the order of the help text.
import { backup, restore } from './backup-commands.ts'
import { auditCheck, ledgerCheck, searchIndex } from './check-commands.ts'
import type { OperatorCommand } from './command.ts'
import { doctor } from './doctor.ts'
import { entitlement, ipBlock } from './limit-commands.ts'
import { createKey, grantPlatform, signIn } from './people-commands.ts'
import { usagePolicy } from './policy-commands.ts'
import { rotateData, rotateMaster } from './rotation-commands.ts'
import { storage } from './storage-command.ts'

export const commands: Readonly<Record<string, OperatorCommand>> = {
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
