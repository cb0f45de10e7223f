// The expected cost of a run, next to the Run button. It is requested again when typing pauses; errors are not shown.
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
    // Prices are computed from named inputs.
    enabled: isRecord(settled),
    placeholderData: keepPreviousData,
    // Intermediate inputs are not needed again.
    gcTime: 0,
    retry: false,
  })
  const estimate = data && estimateText(data)
  const described = data?.pricing_description
  return (
    <p role="status" className="min-w-0 text-soft">
      {estimate}
      {described === undefined ? null : (
        <span className="text-faint">
          {estimate === undefined ? null : ' · '}
          {described}
        </span>
      )}
    </p>
  )
}
