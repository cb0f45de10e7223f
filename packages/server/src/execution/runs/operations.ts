// The operation that starts a run.
import { RunRequest, TaskResult } from '@millrace/contract/tasks'
import { operation } from '#platform/core/operation.ts'
import { noticeUnsigned } from '../tasks/service.ts'
import { startRun } from './run.ts'
import { answerRun, followRun } from './run-answer.ts'

const runFails = [
  'not_found',
  'requirements_not_met',
  'limit_exceeded',
  'feature_not_available',
  'app_maintenance',
  'app_retired',
  'session_not_found',
  'session_expired',
  'session_ended',
  'session_busy',
  'no_capacity',
] as const

export const runOperations = [
  operation({
    name: 'tasks.run',
    route: ['POST /apps/run', 'POST /run'],
    summary: 'Run an app; answers immediately with the accepted task',
    scope: 'apps:execute',
    rateLimit: 'run',
    body: RunRequest,
    reply: TaskResult,
    fails: runFails,
    run: async (ctx, { body }) => {
      const answer = await answerRun(ctx, await startRun(ctx, body))
      await noticeUnsigned(ctx, body.webhook)
      return answer
    },
    follow: (ctx, result, { body }) => followRun(ctx, result, body),
  }),
]
