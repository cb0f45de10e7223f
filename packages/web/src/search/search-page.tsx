// Search over everything that the user can read, by words and by meaning. The query and the type are in the address.
import { useSearch } from '@tanstack/react-router'
import { Search as SearchIcon } from 'lucide-react'
import { ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { classes } from '../ui/classes.ts'
import { Empty, Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { collectionNames, searchAddress } from './hits.ts'
import { ResultRow } from './result-row.tsx'
import { strings } from './strings.ts'
import { useSearchResults } from './use-search-results.ts'

const Nothing = ({ q, isNarrowed }: { q: string; isNarrowed: boolean }) => (
  <Empty
    icon={SearchIcon}
    title={strings.noResults(q)}
    action={
      isNarrowed ? (
        <ButtonLink to="/search" search={{ q }}>
          {strings.searchEverything}
        </ButtonLink>
      ) : (
        <ButtonLink to="/store">{strings.openStore}</ButtonLink>
      )
    }
  >
    {strings.noResultsText}
  </Empty>
)

const SearchPage = () => {
  const change = useChangeAddress()
  const { q = '', kind } = searchAddress(useSearch({ from: '/search' }))
  const [term, setTerm] = useTerm(q)
  const found = useSearchResults(q, kind ? { collections: [kind], limit: 100 } : {})
  const groups = Map.groupBy(found.hits, ({ collection }) => collection)
  return (
    <Page title={strings.title} tab={q === '' ? strings.title : strings.tab(q)}>
      <SearchField
        label={strings.field}
        hint={strings.hint}
        className="mb-3 max-w-xl"
        autoFocus
        value={term}
        onChange={setTerm}
      />
      <div className="mb-4">
        <ChoiceChips
          label={strings.collection}
          choices={collectionNames}
          chosen={kind}
          onChoose={(next) => void change({ kind: next })}
        />
      </div>
      {found.error ? <ProblemNote error={found.error} retry={found.refetch} /> : null}
      {found.isLoading ? <SkeletonRows /> : null}
      <p role="status" className={classes('text-faint', found.wordsOnly !== undefined && 'mb-3')}>
        {found.wordsOnly}
      </p>
      <div className="flex max-w-3xl flex-col gap-4">
        {[...groups].map(([collection, rows]) => (
          <Panel key={collection} title={collectionNames[collection]} flush>
            <ul className="p-1">
              {rows.map((hit) => (
                <ResultRow key={hit.id} hit={hit} query={q} />
              ))}
            </ul>
          </Panel>
        ))}
      </div>
      {found.isAnswered && found.hits.length === 0 ? <Nothing q={q} isNarrowed={kind !== undefined} /> : null}
    </Page>
  )
}

export default SearchPage
