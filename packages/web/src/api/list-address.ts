// What a list shows, as its address says it: words, and one choice of each kind; what makes no sense there is left out. Its order
// is read by `ui/use-sort.ts`. Pure.
import { oneOf, present } from './address-filters.ts'

type Choices = Readonly<Record<string, object>>
type Chosen<C extends Choices> = { [K in keyof C]?: Extract<keyof C[K], string> }

export type ListAddress<C extends Choices = Record<never, never>> = { q?: string } & Chosen<C>

/** Reads an address. The router adds to it whatever else stands there, so pages read it once more. */
export const listAddress =
  <C extends Choices = Record<never, never>>(choices?: C) =>
  (search: Record<string, unknown>): ListAddress<C> =>
    present({
      q: typeof search.q === 'string' && search.q !== '' ? search.q : undefined,
      ...Object.fromEntries(Object.entries(choices ?? {}).map(([key, each]) => [key, oneOf(search[key], each)])),
    }) as ListAddress<C>

/** Of a list that is narrowed by words alone. */
export const wordsIn = listAddress()

/** The words as lists of the server are asked for them. */
export const searchFor = (q: string | undefined): { search?: { term: string } } => {
  const term = q?.trim() ?? ''
  return term === '' ? {} : { search: { term } }
}
