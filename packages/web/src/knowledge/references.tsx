// References of an entry in both directions, and its lineage.
import type { LineageRef, ResourceRef } from '@millrace/contract/knowledge'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { read } from '../api/queries.ts'
import { Panel, ProblemNote, Skeleton, SkeletonRows } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { strings } from './strings.ts'

const words = strings.references

const ReferenceGraph = lazy(() => import('./reference-graph.tsx'))

const linkLook = 'text-accent hover:underline'

const To = ({ target: { type, id, namespace, name } }: { target: ResourceRef }) => {
  const words = `${namespace}/${name}`
  if (type === 'app')
    return (
      <Link to="/apps/$namespace/$name" params={{ namespace, name }} className={linkLook}>
        {words}
      </Link>
    )
  return (
    <Link to={type === 'agent' ? '/agents/$id' : '/knowledge/$id'} params={{ id }} className={linkLook}>
      {words}
    </Link>
  )
}

const List = ({ title, targets, none }: { title: string; targets: readonly ResourceRef[]; none: string }) => (
  <Panel title={title}>
    {targets.length === 0 ? <p className="text-faint">{none}</p> : null}
    <ul className="flex flex-col gap-2">
      {targets.map((target) => (
        <li key={target.id}>
          <span className="flex items-center gap-2">
            <To target={target} /> <Badge>{target.resource_kind || target.type}</Badge>
          </span>
          <span className="block truncate text-[12px] text-soft">{target.description}</span>
        </li>
      ))}
    </ul>
  </Panel>
)

const Family = ({ title, members }: { title: string; members: readonly LineageRef[] }) =>
  members.length === 0 ? null : (
    <p>
      <span className="text-faint">{title}: </span>
      {members.map(({ id, namespace, name }, index) => (
        <span key={id}>
          {index > 0 ? ', ' : ''}
          <Link to="/knowledge/$id" params={{ id }} className={linkLook}>
            {namespace}/{name}
          </Link>
        </span>
      ))}
    </p>
  )

export const References = ({ id }: { id: string }) => {
  const references = useQuery(read('knowledge.references', { path: { id } }))
  const lineage = useQuery(read('knowledge.lineage', { path: { id } }))
  const error = references.error ?? lineage.error
  if (error) return <ProblemNote error={error} />
  if (!references.data || !lineage.data) return <SkeletonRows />
  const { parents, siblings, forks, duplicates } = lineage.data
  const { resource, references: to, referenced_by: from } = references.data
  const isAlone = parents.length + siblings.length + forks.length + duplicates.length === 0
  return (
    <div className="grid gap-4 md:grid-cols-2">
      {to.length + from.length === 0 ? null : (
        <section
          aria-label={words.graph}
          className="h-72 overflow-clip rounded-lg border bg-surface max-sm:hidden md:col-span-2"
        >
          <Suspense fallback={<Skeleton className="h-full" />}>
            <ReferenceGraph from={from} center={resource} to={to} />
          </Suspense>
        </section>
      )}
      <List title={words.to} targets={to} none={words.noneTo} />
      <List title={words.from} targets={from} none={words.noneFrom} />
      {isAlone ? null : (
        <Panel title={words.lineage} className="md:col-span-2">
          <Family title={words.parents} members={parents} />
          <Family title={words.siblings} members={siblings} />
          <Family title={words.forks} members={forks} />
          <Family title={words.duplicates} members={duplicates} />
        </Panel>
      )}
    </div>
  )
}
