// Beside the button that runs an app: what the run is expected to cost, asked again once the typing pauses. Where the server has no
// answer the form is as it would be without.
import type { App } from '@millrace/contract/apps'
import { isRecord } from '@millrace/contract/json'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { useSettled } from '../ui/use-settled.ts'
import { estimateText } from './estimate.ts'

type RunEstimateProps = { app: App; chosen: string; input: Record<string, unknown> }

export const RunEstimate = ({ app, chosen, input }: RunEstimateProps) => {
  const settled = useSettled(input)
  const { data } = useQuery({
    ...read('store.estimate', { path: { appId: app.id }, body: { function: chosen, input: settled } }),
    // Prices are worked out of named inputs.
    enabled: isRecord(settled),
    placeholderData: keepPreviousData,
    // What was typed on the way is not asked for again.
    gcTime: 0,
    retry: false,
  })
  const words = data && estimateText(data)
  const described = data?.pricing_description
  return (
    <p role="status" className="min-w-0 text-soft">
      {words}
      {described === undefined ? null : (
        <span className="text-faint">
          {words === undefined ? null : ' · '}
          {described}
        </span>
      )}
    </p>
  )
}
