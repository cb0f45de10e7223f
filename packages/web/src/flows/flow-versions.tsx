// Compares two versions of a flow. The default is the published version and the draft.
import type { Flow, FlowVersion } from '@millrace/contract/flows'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { ConfirmButton } from '../ui/dialog.tsx'
import { DiffView } from '../ui/diff-view.tsx'
import { SelectField } from '../ui/field.tsx'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { sortedJson } from '../ui/sorted-json.ts'
import { dateTimeText } from '../ui/time-text.ts'
import { strings } from './strings.ts'

const words = strings.versions

/** The content that affects a run. Positions on the canvas are left out. */
const textOf = ({
  nodes,
  edges,
  node_data,
  input,
  input_schema,
  output_schema,
  output_mappings,
}: FlowVersion): string =>
  sortedJson({
    nodes: nodes.map(({ id, type }) => `${id}: ${type}`),
    edges: edges.map(({ source, target }) => `${source} before ${target}`),
    settings: node_data,
    inputs: input,
    input_schema,
    output_schema,
    output_mappings,
  })

const nameOf = (flow: Flow, { id, graph_version, created_at }: FlowVersion): string => {
  const state =
    id === flow.draft_version_id ? `, ${words.draft}` : id === flow.published_version_id ? `, ${words.published}` : ''
  return `${graph_version}${state}, ${dateTimeText(created_at)}`
}

/** Replaces the draft by the graph of a version. */
const useRestore = (flow: Flow) =>
  useAct({
    work: ({ nodes, edges, node_data, input, input_schema, output_schema, output_mappings }: FlowVersion) => {
      const { name, title, description, card_image, thumbnail, banner_image } = flow
      const texts = { name, title, description, card_image, thumbnail, banner_image }
      const graph = { nodes, edges, node_data, input, input_schema, output_schema, output_mappings }
      return call('flows.replace', { path: { id: flow.id }, body: { ...texts, ...graph } })
    },
    touches: ['flows'],
    done: words.restored,
    quiet: true,
  })

export const FlowVersions = ({ flow }: { flow: Flow }) => {
  const list = useList(
    'flows.versions',
    { limit: 100, sort: [{ field: 'created_at', dir: 'desc' }] },
    { path: { id: flow.id } },
  )
  const restore = useRestore(flow)
  const [before, setBefore] = useState(flow.published_version_id)
  const [after, setAfter] = useState(flow.draft_version_id)
  if (list.error) return <ProblemNote error={list.error} />
  if (list.isLoading) return <SkeletonRows rows={3} />
  const versions = list.items
  if (versions.length < 2) return <p className="text-soft">{words.onlyOne}</p>
  const older = versions.find(({ id }) => id === before) ?? versions[1]
  const newer = versions.find(({ id }) => id === after) ?? versions[0]
  const options = versions.map((version) => (
    <option key={version.id} value={version.id}>
      {nameOf(flow, version)}
    </option>
  ))
  return (
    <div className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField label={words.from} value={older?.id} onChange={(event) => setBefore(event.target.value)}>
          {options}
        </SelectField>
        <SelectField label={words.to} value={newer?.id} onChange={(event) => setAfter(event.target.value)}>
          {options}
        </SelectField>
      </div>
      {older && older.id !== flow.draft_version_id ? (
        <ConfirmButton
          label={words.restore}
          title={words.restoreTitle}
          confirm={words.restore}
          act={() => restore.mutateAsync(older)}
        >
          {words.restoreText}
        </ConfirmButton>
      ) : null}
      {older && newer ? <DiffView before={textOf(older)} after={textOf(newer)} /> : null}
    </div>
  )
}
