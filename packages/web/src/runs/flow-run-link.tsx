// A link to a flow run, with the name of the flow.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'

export const FlowRunLink = ({ id }: { id: string }) => {
  const { data: run } = useQuery({ ...read('flow_runs.get', { path: { id } }), retry: false })
  const flow = useQuery({
    ...read('flows.get', { path: { id: run?.flow_id ?? '' } }),
    enabled: run !== undefined,
    retry: false,
  }).data
  return run ? (
    <Link to="/flows/$id" params={{ id: run.flow_id }} search={{ run: id }} className="text-accent hover:underline">
      {flow?.title || flow?.name || id.slice(0, 8)}
    </Link>
  ) : (
    id.slice(0, 8)
  )
}
