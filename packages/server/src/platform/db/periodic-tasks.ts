// Periodic tasks: work that becomes due by time alone. Once per second one statement checks which tasks have work, and
// only those run. An idle server thus runs one statement per second, independent of the number of tasks.
import { type Expression, sql } from 'kysely'
import type { Platform } from '../core/ctx.ts'
import { asSharedWork, inWork } from '../fairness/work.ts'
import type { Db } from './database.ts'
import { prepared } from './prepared.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly periodicTasks: PeriodicTasks
  }
}

export type PeriodicTask = {
  /** Name in the log. */
  readonly name: string
  /** Values for `due` at this time; the time itself if omitted. Their number is constant. */
  readonly values?: (now: Date) => readonly string[]
  /**
   * Queries; if one returns a row, the task is due. They run every second with a generic plan, so an index must lead to
   * the row. If most rows may match, an `order by` on that index is needed as well.
   */
  readonly due: (db: Db, ...values: string[]) => readonly Expression<unknown>[]
  /** Never runs concurrently; a failed run is followed by the next. */
  readonly work: () => Promise<void>
  /** Minimum time between two starts; one second if omitted. */
  readonly everyMs?: number
}

export type PeriodicTasks = {
  /** Returns a function that removes the tasks and waits for running work. */
  add(...tasks: readonly PeriodicTask[]): () => Promise<void>
  /** The names of the tasks that are due now. */
  ask(db: Db): Promise<string[]>
}

type TaskState = {
  readonly task: PeriodicTask
  underway: Promise<void> | null
  beganMs: number
  /** Checked separately after a failed query, until the query succeeds again. */
  isAlone: boolean
  isChecked: boolean
}

type DueQuery = { readonly states: readonly TaskState[]; ask(db: Db, now: Date): Promise<TaskState[]> }

/** The pool of the dispatcher, whose polls are among the tasks: no fair queue, and generic plans. */
const ownWork = { kind: 'dispatch', tenant: null } as const

const createDueQuery = (states: readonly TaskState[]): DueQuery => {
  const compile = (counts: readonly number[]) =>
    prepared((db, ...values: string[]) => {
      const left = [...values]
      const checked = states.map(({ task }, index) => {
        const queries = task.due(db, ...left.splice(0, counts[index]))
        // Not `exists`, because PostgreSQL would ignore the order.
        const found = queries.map((query) => sql`(select true from (${query}) found limit 1)`)
        return sql`coalesce(${sql.join(found)}, false) as ${sql.ref(`${index}`)}`
      })
      return sql<Record<string, boolean>>`select ${sql.join(checked)}`
    })
  let ask: ReturnType<typeof compile> | undefined
  return {
    states,
    ask: async (db, now) => {
      const values = states.map(({ task }) => task.values?.(now) ?? [now.toISOString()])
      ask ??= compile(values.map((own) => own.length))
      const [answer] = await ask(db, ...values.flat())
      return states.filter((_state, index) => answer?.[index])
    },
  }
}

export const createPeriodicTasks = (
  { db, log, now }: Pick<Platform, 'db' | 'log' | 'now'>,
  pauseMs = 1_000,
): PeriodicTasks => {
  let states: readonly TaskState[] = []
  let combined = createDueQuery([])
  let timer: NodeJS.Timeout | undefined
  let isChecking = false

  const begin = (state: TaskState): void => {
    const { name, work, everyMs = 0 } = state.task
    const isRested = performance.now() - state.beganMs >= everyMs - pauseMs / 2
    if (state.underway || !isRested || !states.includes(state)) return
    state.beganMs = performance.now()
    state.underway = asSharedWork(work)
      .catch((error: unknown) => log.error({ err: error, task: name }, 'periodic task failed'))
      .finally(() => {
        state.underway = null
      })
  }

  const checkTogether = async (): Promise<void> => {
    const checked = states.filter((state) => !state.isAlone)
    if (isChecking || checked.length === 0) return
    isChecking = true
    try {
      if (checked.length !== combined.states.length || checked.some((state, index) => state !== combined.states[index]))
        combined = createDueQuery(checked)
      for (const state of await combined.ask(db, now())) begin(state)
    } catch (error) {
      if (isDatabaseUnavailable(error)) log.error({ err: error }, 'could not check which periodic tasks are due')
      // The failed query is found by checking each task separately, so that one task cannot block the others.
      else for (const state of checked) state.isAlone = true
    } finally {
      isChecking = false
    }
  }

  const checkAlone = async (state: TaskState): Promise<void> => {
    if (state.isChecked) return
    state.isChecked = true
    try {
      for (const due of await createDueQuery([state]).ask(db, now())) begin(due)
      state.isAlone = false
    } catch (error) {
      state.isAlone = !isDatabaseUnavailable(error)
      log.error({ err: error, task: state.task.name }, 'could not check whether a periodic task is due')
    } finally {
      state.isChecked = false
    }
  }

  const check = (): void => {
    void checkTogether()
    for (const state of states) if (state.isAlone) void checkAlone(state)
  }

  const change = (next: readonly TaskState[]): void => {
    states = next
    clearInterval(timer)
    timer = states.length === 0 ? undefined : setInterval(() => inWork(ownWork, check), pauseMs)
  }

  return {
    add: (...added) => {
      const fresh = { underway: null, beganMs: Number.NEGATIVE_INFINITY, isAlone: false, isChecked: false }
      const own = added.map((task): TaskState => ({ task, ...fresh }))
      change([...states, ...own])
      return async () => {
        change(states.filter((state) => !own.includes(state)))
        await Promise.all(own.map((state) => state.underway))
      }
    },
    ask: async (db) => (await createDueQuery(states).ask(db, now())).map(({ task }) => task.name),
  }
}
