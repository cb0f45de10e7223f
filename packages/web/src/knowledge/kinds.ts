// Types of entries in words.
import type { KnowledgeType } from '@millrace/contract/knowledge'

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

export const kindIn = (text: unknown): KnowledgeType | undefined => kinds.find((kind) => kind === text)
