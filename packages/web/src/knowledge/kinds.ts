// Labels of entry types, and the filters of the list.
import type { KnowledgeType } from '@millrace/contract/knowledge'
import { listAddress } from '../api/list-address.ts'
import { strings } from './strings.ts'

export const kindNames: Record<KnowledgeType, string> = strings.types

export const kinds = Object.keys(kindNames) as KnowledgeType[]

export const lifecycles = strings.lifetimes

export const knowledgeAddress = listAddress({ type: kindNames, lifecycle: lifecycles })
