// Updates the profiles of a remote from the coding agents that it reports. Pure.
import { type HarnessCapabilities, type HarnessKind, harnesses } from '@millrace/contract/harnesses'
import type { HarnessEntry } from '@millrace/contract/remotes'

export type ReportedProfile = {
  harness_kind: HarnessKind
  name: string
  command: string
  version: string
  status: 'idle' | 'unavailable'
  capabilities: HarnessCapabilities
}

/** One per kind: of two entries of a kind the later one counts. */
export const reportedProfiles = (entries: readonly HarnessEntry[]): ReportedProfile[] => {
  const byKind = new Map<HarnessKind, ReportedProfile>()
  for (const entry of entries) {
    const known = harnesses[entry.kind]
    byKind.set(entry.kind, {
      harness_kind: entry.kind,
      name: known.display_name,
      command: entry.command ?? '',
      version: entry.version ?? '',
      status: entry.logged_in === true ? 'idle' : 'unavailable',
      capabilities: { ...known.capabilities, ...entry.capabilities },
    })
  }
  return [...byKind.values()]
}
