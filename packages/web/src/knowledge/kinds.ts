// Types of entries in words, and which of them a list shows.
import type { KnowledgeType } from '@millrace/contract/knowledge'
import { listAddress } from '../api/list-address.ts'

export const kindNames: Record<KnowledgeType, string> = {
  skill: 'Skill',
  concept: 'Concept',
  observation: 'Observation',
  reference: 'Reference',
  preference: 'Preference',
  person: 'Person',
  project: 'Project',
  'agent-config': 'Agent config',
}

export const kinds = Object.keys(kindNames) as KnowledgeType[]

export const lifecycles = { permanent: 'Lasting', decay: 'Fading' } as const

export const knowledgeAddress = listAddress({ type: kindNames, lifecycle: lifecycles })
