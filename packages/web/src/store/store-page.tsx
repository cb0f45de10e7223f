// The store: public apps and skills of all workspaces.
import type { StoreApp } from '@millrace/contract/apps'
import type { StoreSkill } from '@millrace/contract/knowledge'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Star, Store } from 'lucide-react'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { type Listed, useList } from '../api/list.ts'
import { read } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Chip } from '../ui/chip.tsx'
import { FilterBar, FilterChips, FilterSelect } from '../ui/filter-bar.tsx'
import { Empty, Page, ProblemNote, Skeleton } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { Tabs } from '../ui/tabs.tsx'
import { categories, kinds, orders, type StoreFilters, storeFilters, storeRequest } from './filters.ts'
import { strings } from './strings.ts'

const cardLook =
  'flex min-h-32 flex-col gap-1 rounded-lg border bg-surface p-3 transition-colors hover:border-line-strong hover:bg-hover'

const shelfLook = 'grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3'

type FaceProps = {
  title: string
  item: StoreApp | StoreSkill
  /** Badges below the description, before the tags. */
  facts: readonly (string | undefined)[]
}

const Face = ({ title, item, facts }: FaceProps) => (
  <>
    <span className="flex items-start gap-2">
      <span className="min-w-0 grow truncate font-medium text-[14px]">{title}</span>
      {item.is_featured ? (
        <Badge tone="accent">
          <Star className="size-3" aria-hidden /> {strings.featured}
        </Badge>
      ) : null}
    </span>
    <code className="truncate font-mono text-[12px] text-faint">
      {item.namespace}/{item.name}
    </code>
    <span className="line-clamp-2 grow text-soft">{item.description || strings.noDescription}</span>
    <span className="mt-1 flex flex-wrap gap-1">
      {[...facts.filter((fact) => fact !== undefined && fact !== ''), ...(item.tags ?? [])].slice(0, 5).map((words) => (
        <Badge key={words}>{words}</Badge>
      ))}
    </span>
  </>
)

const AppCard = ({ app }: { app: StoreApp }) => (
  <Link to="/apps/$namespace/$name" params={{ namespace: app.namespace, name: app.name }} className={cardLook}>
    <Face
      title={app.title || app.name}
      item={app}
      facts={[categories[app.category], app.subcategory, app.pricing_description]}
    />
  </Link>
)

const SkillCard = ({ skill }: { skill: StoreSkill }) => (
  <Link to="/knowledge/$id" params={{ id: skill.id }} className={cardLook}>
    <Face title={skill.name} item={skill} facts={[skill.category]} />
  </Link>
)

type ShelfProps<T> = { list: Listed<T>; label: string; card: (item: T) => ReactNode; none: ReactNode }

const Shelf = <T extends { id: string }>({ list, label, card, none }: ShelfProps<T>) => (
  <>
    {list.error ? <ProblemNote error={list.error} retry={list.refetch} /> : null}
    {list.isLoading ? (
      <div role="status" aria-label={uiStrings.loading} className={shelfLook}>
        {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
          <Skeleton key={key} className="h-32" />
        ))}
      </div>
    ) : null}
    {list.items.length > 0 ? (
      <ul aria-label={label} className={shelfLook}>
        {list.items.map((item) => (
          <li key={item.id} className="grid">
            {card(item)}
          </li>
        ))}
      </ul>
    ) : null}
    {!list.isLoading && !list.error && list.items.length === 0 ? none : null}
    {list.more ? (
      <div className="mt-4 text-center">
        <Button onClick={list.more}>{uiStrings.showMore}</Button>
      </div>
    ) : null}
  </>
)

type ShelfOf = { filters: StoreFilters; term: string; none: ReactNode }

const Apps = ({ filters, term, none }: ShelfOf) => (
  <Shelf
    list={useList('store.apps', storeRequest(filters, term))}
    label={strings.apps}
    card={(app) => <AppCard app={app} />}
    none={none}
  />
)

const Skills = ({ filters, term, none }: ShelfOf) => (
  <Shelf
    list={useList('store.skills', storeRequest(filters, term))}
    label={strings.skills}
    card={(skill) => <SkillCard skill={skill} />}
    none={none}
  />
)

type FiltersProps = { filters: StoreFilters; set: (change: Change) => void }
type Change = { [K in keyof StoreFilters]: StoreFilters[K] | undefined }

/** Filters for apps. The server returns a tag once several apps have it. */
const AppFilters = ({ filters, set }: FiltersProps) => {
  const tags = useQuery(read('store.tags'))
  return (
    <>
      <FilterSelect
        label={strings.category}
        any={strings.allCategories}
        options={optionsOf(categories)}
        chosen={filters.category}
        onPick={(category) => set({ category: category as Change['category'] })}
      />
      <FilterChips
        choices={Object.fromEntries((tags.data ?? []).map(({ slug, title }) => [slug, title]))}
        chosen={filters.tag}
        onPick={(tag) => set({ tag: filters.tag === tag ? undefined : tag })}
      />
    </>
  )
}

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([id, name]) => ({ id, name }))

const Filters = ({ filters, set, search }: FiltersProps & { search: ReactNode }) => (
  <FilterBar label={strings.filters} className="mb-3">
    {search}
    <FilterSelect
      label={strings.sort}
      any={strings.bestFirst}
      options={optionsOf(orders)}
      chosen={filters.order}
      onPick={(order) => set({ order: order as Change['order'] })}
    />
    <Chip on={filters.featured === true} onClick={() => set({ featured: filters.featured ? undefined : true })}>
      {strings.featured}
    </Chip>
    {filters.kind === 'skills' ? null : <AppFilters filters={filters} set={set} />}
  </FilterBar>
)

const StorePage = () => {
  const navigate = useNavigate()
  // The router passes unknown search parameters through.
  const filters = storeFilters(useSearch({ from: '/store' }))
  const { kind = 'apps', category, tag, featured } = filters
  const [term, setTerm] = useState('')
  const asked = useDeferredValue(term.trim())
  const set = (change: Change) =>
    void navigate({ to: '/store', search: storeFilters({ ...filters, ...change }), replace: true })
  const showAll = () => {
    setTerm('')
    set({ category: undefined, tag: undefined, featured: undefined })
  }
  const none =
    asked !== '' || category || tag || featured ? (
      <Empty icon={Store} title={strings.noResults} action={<Button onClick={showAll}>{strings.showAll}</Button>}>
        {strings.noResultsText}
      </Empty>
    ) : (
      <Empty icon={Store} title={strings.emptyTitle[kind]}>
        {strings.emptyText}
      </Empty>
    )
  const Kinds = kind === 'apps' ? Apps : Skills
  return (
    <Page title={strings.title} note={strings.note}>
      <Tabs
        label={strings.sections}
        tabs={Object.values(kinds)}
        value={kinds[kind]}
        onChange={(tab) => set({ kind: tab === kinds.skills ? 'skills' : undefined })}
      />
      <Filters
        filters={filters}
        set={set}
        search={<SearchField label={strings.search} className="sm:max-w-64" value={term} onChange={setTerm} />}
      />
      <Kinds filters={filters} term={asked} none={none} />
    </Page>
  )
}

export default StorePage
