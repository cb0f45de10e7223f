// Triggers: apps, flows and agents started by a schedule, a webhook or by hand.
import { setTimeout as sleep } from 'node:timers/promises'
import { system } from '#platform/core/actor.ts'
import { createCtx, type Platform } from '#platform/core/ctx.ts'
import type { Feature } from '#platform/core/feature.ts'
import { dispatchWaiting } from './dispatch.ts'
import { isOverloaded } from './hook.ts'
import { startLoop } from './loop.ts'
import { triggerOperations } from './operations.ts'
import { fireDue, restUntilDue } from './scheduler.ts'
import { countTriggers, dueTriggers } from './store.ts'
import { scheduleSubject, waitingSubject } from './subjects.ts'
import { sweepFires } from './sweep.ts'
import { waitingFires } from './waiting-fires-store.ts'

/** Both loops are woken by notifications, and at this interval without one. */
const restMs = 60_000

// Under load, accepting deliveries has priority: dispatching pauses longer than it works, because senders time out
// while accepted fires are durable.
const yieldFactor = 8
const yieldMaxMs = 1_000

const dispatchTurn = async (platform: Platform): Promise<number> => {
  const begunMs = performance.now()
  if ((await dispatchWaiting(createCtx(platform, system))) === 0) return restMs
  if (isOverloaded(platform)) await sleep(Math.min(yieldMaxMs, yieldFactor * (performance.now() - begunMs)))
  return 0
}

export const triggersFeature: Feature = {
  name: 'triggers',
  operations: triggerOperations,
  usage: { triggers: countTriggers },
  crons: (platform) => [
    {
      name: 'triggers_sweep',
      schedule: '17 * * * *',
      handler: async () => {
        const swept = await sweepFires(createCtx(platform, system))
        if (swept > 0) platform.log.info({ fires: swept }, 'deleted old trigger fires')
      },
    },
  ],
  start: async (platform) => {
    const { bus, log } = platform
    const dispatcher = startLoop(() => dispatchTurn(platform), {
      restMs,
      onError: (error) => log.error({ err: error }, 'could not dispatch fires'),
    })
    const clock = startLoop(
      async () => {
        const ctx = createCtx(platform, system)
        return (await fireDue(ctx)) > 0 ? 0 : restUntilDue(ctx, restMs)
      },
      { restMs, onError: (error) => log.error({ err: error }, 'the scheduler of triggers failed') },
    )
    const silence = [bus.subscribe(waitingSubject, dispatcher.wake), bus.subscribe(scheduleSubject, clock.wake)]
    const stopTask = platform.periodicTasks.add(
      {
        // Includes fires that another replica accepted and did not dispatch.
        name: 'fires of triggers',
        due: (_db, now) => [waitingFires(now)],
        work: async () => dispatcher.wake(),
      },
      {
        name: 'schedules of triggers',
        due: (db, now) => [dueTriggers(db, now)],
        work: async () => clock.wake(),
      },
    )
    return async () => {
      await stopTask()
      for (const unsubscribe of silence) unsubscribe()
      await Promise.all([clock.stop(), dispatcher.stop()])
    }
  },
}
