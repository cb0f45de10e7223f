// Search over everything that can be read, by words and by meaning. What is asked, and of which kind, stands in the address.
import { useSearch } from '@tanstack/react-router'
import { Search as SearchIcon } from 'lucide-react'
import { ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { classes } from '../ui/classes.ts'
import { Empty, Page, Panel, ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { FoundRow } from './found.tsx'
import { collectionNames, searchAddress } from './hits.ts'
import { useFound } from './use-found.ts'

const Nothing = ({ q, isNarrowed }: { q: string; isNarrowed: boolean }) => (
  <Empty
    icon={SearchIcon}
    title={`Nothing found for “${q}”`}
    action={
      isNarrowed ? (
        <ButtonLink to="/search" search={{ q }}>
          Search everything
        </ButtonLink>
      ) : (
        <ButtonLink to="/store">Look in the store</ButtonLink>
      )
    }
  >
    Other words may help; what was just written is found within a moment.
  </Empty>
)

const SearchPage = () => {
  const change = useChangeAddress()
  const { q = '', kind } = searchAddress(useSearch({ from: '/search' }))
  const [term, setTerm] = useTerm(q)
  const found = useFound(q, kind ? { collections: [kind], limit: 100 } : {})
  const groups = Map.groupBy(found.hits, ({ collection }) => collection)
  return (
    <Page title="Search" tab={q === '' ? 'Search' : `${q}, search`}>
      <SearchField
        label="Search everything"
        hint="Apps, agents, flows, skills and knowledge, by words or by what they are about"
        className="mb-3 max-w-xl"
        autoFocus
        value={term}
        onChange={setTerm}
      />
      <div className="mb-4">
        <ChoiceChips
          label="What is searched"
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
                <FoundRow key={hit.id} hit={hit} query={q} />
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
