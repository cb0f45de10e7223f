// The filters of a list in its address: search text and one choice per kind; invalid values are ignored.
// `ui/use-sort.ts` reads the order. Pure.
import { oneOf, present } from './address-filters.ts'

type Choices = Readonly<Record<string, object>>
type Chosen<C extends Choices> = { [K in keyof C]?: Extract<keyof C[K], string> }

export type ListAddress<C extends Choices = Record<never, never>> = { q?: string } & Chosen<C>

/** Parses an address. The router adds other parameters, so pages parse it again. */
export const listAddress =
  <C extends Choices = Record<never, never>>(choices?: C) =>
  (search: Record<string, unknown>): ListAddress<C> =>
    present({
      q: typeof search.q === 'string' && search.q !== '' ? search.q : undefined,
      ...Object.fromEntries(Object.entries(choices ?? {}).map(([key, each]) => [key, oneOf(search[key], each)])),
    }) as ListAddress<C>

/** For lists with a search text only. */
export const wordsIn = listAddress()

/** The search text as a list request of the server. */
export const searchFor = (q: string | undefined): { search?: { term: string } } => {
  const term = q?.trim() ?? ''
  return term === '' ? {} : { search: { term } }
}
