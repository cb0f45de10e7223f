// Which files a list shows, as its address says it. Pure.
import type { ListRequest } from '@millrace/contract/common'
import { eqFilter, type Filter, given } from '../api/address-filters.ts'
import { type ListAddress, listAddress, searchFor } from '../api/list-address.ts'

export const fileKinds = { image: 'Pictures', audio: 'Sound', video: 'Film', pdf: 'PDF', text: 'Text' } as const
type Kind = keyof typeof fileKinds

/** Where it comes from. */
export const fileOrigins = { files: 'Uploaded', outputs: 'Made by runs' } as const

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
