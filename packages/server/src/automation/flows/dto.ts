// Flows and their versions as wire objects.
import type { App } from '@millrace/contract/apps'
import type { Flow, FlowGraph, FlowVersion, NodeData } from '@millrace/contract/flows'
import { shortId } from '@millrace/contract/ids'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { FlowRow, VersionRow } from './store.ts'

export const versionDto = (row: VersionRow, graph: FlowGraph = graphDto(row.graph)): FlowVersion => ({
  id: row.id,
  short_id: shortId(row.id),
  created_at: row.created_at,
  updated_at: row.updated_at,
  deleted_at: null,
  graph_version: row.graph_version,
  ...graph,
})

/** The fields of a flow without its graph. */
export const flowFields = (row: FlowRow) => ({
  ...resourceFields(row),
  visibility: row.visibility,
  namespace: row.namespace,
  name: row.name,
  title: row.title || row.name,
  description: row.description,
  card_image: row.card_image,
  thumbnail: row.thumbnail,
  banner_image: row.banner_image,
  draft_version_id: row.draft_version_id,
  published_version_id: row.published_version_id ?? '',
})

export const flowDto = (row: FlowRow, draft: FlowVersion, published: FlowVersion | null): Flow => {
  const { nodes, edges, node_data, input, input_schema, output_schema, output_mappings, viewport } = draft
  return {
    ...flowFields(row),
    draft_version: draft,
    ...(published && { published_version: published }),
    ...{ nodes, edges, node_data, input, input_schema, output_schema, output_mappings },
    ...(viewport && { viewport }),
  }
}

export const appIdsOf = (graph: FlowGraph): string[] =>
  Object.values(graph.node_data).flatMap((data) => (data.app_id ? [data.app_id] : []))

/** Every node has fields for its app and engine, which are empty for utility nodes. */
const nodeDto = (data: NodeData): NodeData => ({
  ...data,
  app_id: data.app_id ?? '',
  app_version_id: data.app_version_id ?? '',
  infra: data.infra ?? '',
  workers: data.workers ?? [],
})

const withNodes = (graph: FlowGraph, shown: (data: NodeData) => NodeData): FlowGraph => ({
  ...graph,
  node_data: Object.fromEntries(Object.entries(graph.node_data).map(([id, data]) => [id, shown(data)])),
})

export const graphDto = (graph: FlowGraph): FlowGraph => withNodes(graph, nodeDto)

/** Adds to each node its app, if the reader may see it. */
export const withApps = (graph: FlowGraph, apps: ReadonlyMap<string, App>): FlowGraph =>
  withNodes(graph, (data) => ({ ...nodeDto(data), ...(data.app_id && { app: apps.get(data.app_id) ?? null }) }))
