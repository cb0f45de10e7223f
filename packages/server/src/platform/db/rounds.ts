// What becomes due by time alone: nobody says so, so it is looked for. Once a second one statement asks for all rooms
// whether there is anything to do, and only those for which there is something work. A server that rests thus asks once a
// second, however many rooms it has.
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
  /** As the log calls it. */
  readonly name: string
  /** What the questions speak of, at this moment; without it, the time. Always as many. */
  readonly values?: (now: Date) => readonly string[]
  /**
   * Questions of which one with an answer is enough. They are asked every second and planned once for all values: an
   * index must lead to the answer, and where most rows seem to fit, only an order by it makes sure of that.
   */
  readonly due: (db: Db, ...values: string[]) => readonly Expression<unknown>[]
  /** Never twice at a time; one that fails is followed by the next. */
  readonly work: () => Promise<void>
  /** Between two beginnings of its work; without it, a second. */
  readonly everyMs?: number
}

export type Rounds = {
  /** Returns what takes them out again and waits for the work that is under way. */
  add(...rounds: readonly Round[]): () => Promise<void>
  /** The names of those for which something is due at this moment. */
  ask(db: Db): Promise<string[]>
}

type Room = {
  readonly round: Round
  underway: Promise<void> | null
  beganMs: number
  /** Asked by itself since a question failed, until it has an answer again. */
  isAlone: boolean
  isAsked: boolean
}

type Question = { readonly rooms: readonly Room[]; ask(db: Db, now: Date): Promise<Room[]> }

/** As the dispatcher's looks, which are among them: behind nobody's questions, and planned once. */
const ownLane = { kind: 'dispatch', tenant: null } as const

const createQuestion = (rooms: readonly Room[]): Question => {
  const compile = (counts: readonly number[]) =>
    prepared((db, ...values: string[]) => {
      const left = [...values]
      const asked = rooms.map(({ round }, index) => {
        const queries = round.due(db, ...left.splice(0, counts[index]))
        // Not `exists`, for which PostgreSQL would forget the order.
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
      .catch((error: unknown) => log.error({ err: error, round: name }, 'what was due could not be done'))
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
      if (isDatabaseAway(error)) log.error({ err: error }, 'it could not be asked what is due')
      // Whose question it was is found by asking each: nobody's may keep the others from theirs.
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
      log.error({ err: error, round: room.round.name }, 'it could not be asked whether anything is due')
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
