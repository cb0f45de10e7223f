// Metrics of the installation as an operation; Prometheus metrics are registered in figures.ts.
import { Health } from '@millrace/contract/installation'
import type { Feature } from '#platform/core/feature.ts'
import { operation } from '#platform/core/operation.ts'
import { healthOf } from './health.ts'

export const figuresFeature: Feature = {
  name: 'figures',
  operations: [
    operation({
      name: 'health.get',
      route: 'GET /health',
      summary: 'Status of servers, engines, queue, jobs, disk and database of the installation',
      scope: 'admin:read',
      reply: Health,
      run: (ctx) => healthOf(ctx),
    }),
  ],
}
