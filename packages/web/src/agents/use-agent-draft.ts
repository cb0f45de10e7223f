// The configuration of an agent while it is edited. A version saved in another tab replaces it only while nothing is unsaved.
import type { Agent, AgentConfig } from '@millrace/contract/agents'
import { useState } from 'react'
import { configOf, isSame } from './config.ts'

type Draft = {
  versionId: string
  /** As it was saved. */
  stored: AgentConfig
  config: AgentConfig
  /** Counts replacements of the whole configuration: fields with their own state start again. */
  revision: number
}

const draftOf = (agent: Agent, revision: number): Draft => {
  const stored = configOf(agent.version)
  return { versionId: agent.version_id, stored, config: stored, revision }
}

export const useAgentDraft = (agent: Agent) => {
  const [draft, setDraft] = useState(() => draftOf(agent, 0))
  const isChanged = !isSame(draft.config, draft.stored)
  const isOutdated = draft.versionId !== agent.version_id
  if (isOutdated && !isChanged) setDraft(draftOf(agent, draft.revision + 1))
  return {
    config: draft.config,
    revision: draft.revision,
    isChanged,
    isOutdated: isOutdated && isChanged,
    set: (change: Partial<AgentConfig>) =>
      setDraft((previous) => ({ ...previous, config: { ...previous.config, ...change } })),
    replace: (config: AgentConfig) =>
      setDraft((previous) => ({ ...previous, config, revision: previous.revision + 1 })),
    /** Continues from a version that was just saved. */
    adopt: (saved: Agent) => setDraft((previous) => draftOf(saved, previous.revision + 1)),
  }
}
