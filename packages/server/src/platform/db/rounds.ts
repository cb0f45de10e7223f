// Periodic tasks: work that becomes due by time alone. Once per second one statement checks which tasks have work, and
// only those run. An idle server thus runs one statement per second, independent of the number of tasks.
import { type Expression, sql } from 'kysely'
import type { Platform } from '../core/ctx.ts'
import { apart, inWork } from '../fairness/work.ts'
import { isDatabaseAway } from './away.ts'
import type { Db } from './database.ts'
import { prepared } from './prepared.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly rounds: Rounds
  }
}

export type Round = {
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

export type Rounds = {
  /** Returns a function that removes the tasks and waits for running work. */
  add(...rounds: readonly Round[]): () => Promise<void>
  /** The names of the tasks that are due now. */
  ask(db: Db): Promise<string[]>
}

type Room = {
  readonly round: Round
  underway: Promise<void> | null
  beganMs: number
  /** Checked separately after a failed query, until the query succeeds again. */
  isAlone: boolean
  isAsked: boolean
}

type Question = { readonly rooms: readonly Room[]; ask(db: Db, now: Date): Promise<Room[]> }

/** The pool of the dispatcher, whose polls are among the tasks: no fair queue, and generic plans. */
const ownLane = { kind: 'dispatch', tenant: null } as const

const createQuestion = (rooms: readonly Room[]): Question => {
  const compile = (counts: readonly number[]) =>
    prepared((db, ...values: string[]) => {
      const left = [...values]
      const asked = rooms.map(({ round }, index) => {
        const queries = round.due(db, ...left.splice(0, counts[index]))
        // Not `exists`, because PostgreSQL would ignore the order.
        const found = queries.map((query) => sql`(select true from (${query}) found limit 1)`)
        return sql`coalesce(${sql.join(found)}, false) as ${sql.ref(`${index}`)}`
      })
      return sql<Record<string, boolean>>`select ${sql.join(asked)}`
    })
  let ask: ReturnType<typeof compile> | undefined
  return {
    rooms,
    ask: async (db, now) => {
      const values = rooms.map(({ round }) => round.values?.(now) ?? [now.toISOString()])
      ask ??= compile(values.map((own) => own.length))
      const [answer] = await ask(db, ...values.flat())
      return rooms.filter((_room, index) => answer?.[index])
    },
  }
}

export const createRounds = ({ db, log, now }: Pick<Platform, 'db' | 'log' | 'now'>, pauseMs = 1_000): Rounds => {
  let rooms: readonly Room[] = []
  let together = createQuestion([])
  let timer: NodeJS.Timeout | undefined
  let isAsking = false

  const begin = (room: Room): void => {
    const { name, work, everyMs = 0 } = room.round
    const isRested = performance.now() - room.beganMs >= everyMs - pauseMs / 2
    if (room.underway || !isRested || !rooms.includes(room)) return
    room.beganMs = performance.now()
    room.underway = apart(work)
      .catch((error: unknown) => log.error({ err: error, round: name }, 'periodic task failed'))
      .finally(() => {
        room.underway = null
      })
  }

  const askTogether = async (): Promise<void> => {
    const asked = rooms.filter((room) => !room.isAlone)
    if (isAsking || asked.length === 0) return
    isAsking = true
    try {
      if (asked.length !== together.rooms.length || asked.some((room, index) => room !== together.rooms[index]))
        together = createQuestion(asked)
      for (const room of await together.ask(db, now())) begin(room)
    } catch (error) {
      if (isDatabaseAway(error)) log.error({ err: error }, 'could not check which periodic tasks are due')
      // The failed query is found by checking each task separately, so that one task cannot block the others.
      else for (const room of asked) room.isAlone = true
    } finally {
      isAsking = false
    }
  }

  const askAlone = async (room: Room): Promise<void> => {
    if (room.isAsked) return
    room.isAsked = true
    try {
      for (const due of await createQuestion([room]).ask(db, now())) begin(due)
      room.isAlone = false
    } catch (error) {
      room.isAlone = !isDatabaseAway(error)
      log.error({ err: error, round: room.round.name }, 'could not check whether a periodic task is due')
    } finally {
      room.isAsked = false
    }
  }

  const look = (): void => {
    void askTogether()
    for (const room of rooms) if (room.isAlone) void askAlone(room)
  }

  const change = (next: readonly Room[]): void => {
    rooms = next
    clearInterval(timer)
    timer = rooms.length === 0 ? undefined : setInterval(() => inWork(ownLane, look), pauseMs)
  }

  return {
    add: (...added) => {
      const fresh = { underway: null, beganMs: Number.NEGATIVE_INFINITY, isAlone: false, isAsked: false }
      const own = added.map((round): Room => ({ round, ...fresh }))
      change([...rooms, ...own])
      return async () => {
        change(rooms.filter((room) => !own.includes(room)))
        await Promise.all(own.map((room) => room.underway))
      }
    },
    ask: async (db) => (await createQuestion(rooms).ask(db, now())).map(({ round }) => round.name),
  }
}
