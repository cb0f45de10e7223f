// Bus messages of flow runs.
import { resourceSubject } from '#platform/bus/resource-stream.ts'

export const flowRunSubject = resourceSubject('flow_run')
