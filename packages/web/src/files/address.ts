// The filters of the file list, as they appear in the address. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { eqFilter, type Filter, given } from '../api/address-filters.ts'
import { type ListAddress, listAddress, searchFor } from '../api/list-address.ts'
import { strings } from './strings.ts'

export const fileKinds = strings.kinds
type Kind = keyof typeof fileKinds

export const fileOrigins = strings.origins

const choices = { kind: fileKinds, from: fileOrigins }
export const filesAddress = listAddress(choices)

const kindFilter = (kind: Kind | undefined): Filter | undefined => {
  if (kind === undefined) return undefined
  return { field: 'content_type', operator: 'like', value: kind === 'pdf' ? 'application/pdf%' : `${kind}/%` }
}

export const filesRequest = ({ q, kind, from }: ListAddress<typeof choices>): ListRequest => ({
  filters: given([kindFilter(kind), eqFilter('category', from)]),
  ...searchFor(q),
})
