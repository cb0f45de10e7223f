// The secrets and connections that the apps of an agent require: the model app and the apps among its tools.
import type { AgentConfig } from '@millrace/contract/agents'
import { useQueries } from '@tanstack/react-query'
import { read } from '../api/queries.ts'
import { UnmetRequirements } from '../apps/requirements.tsx'
import { appRefsOf } from './config.ts'
import { strings } from './strings.ts'

/** Each app is one request. */
const maxApps = 20

export const AgentRequirements = ({ config }: { config: AgentConfig }) => {
  const apps = useQueries({
    queries: appRefsOf(config)
      .slice(0, maxApps)
      .map(([namespace, name]) => ({
        ...read('apps.get_by_ref', { path: { namespace, name } }),
        retry: false,
      })),
  })
  return <UnmetRequirements apps={apps.flatMap(({ data }) => data ?? [])} title={strings.editor.requirements} />
}
