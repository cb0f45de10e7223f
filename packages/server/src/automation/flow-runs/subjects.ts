// What flow runs say on the bus.
import { resourceSubject } from '#platform/bus/resource-stream.ts'

export const flowRunSubject = resourceSubject('flow_run')
