// What becomes due by time alone: nobody says so, so it is looked for. Once a second one statement asks for all rooms
// whether there is anything to do, and only those for which there is something work. A server that rests thus asks once a
// second, however many rooms it has.
import { type Expression, sql } from 'kysely'
import pg from 'pg'
import type { Platform } from '../core/ctx.ts'
import type { Db } from './database.ts'
import { prepared } from './prepared.ts'
import { apart, inWork } from './work.ts'

declare module '../core/ctx.ts' {
  interface Platform {
    readonly rounds: Rounds
  }
}

export type Round = {
  /** As the log calls it. */
  readonly name: string
  /** What the question speaks of, at this moment: mostly times. Always as many. */
  readonly values: (now: Date) => readonly string[]
  /** Questions of which one with an answer is enough. They are asked every second: by an index they must be answered. */
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

type Room = { readonly round: Round; underway: Promise<void> | null; beganMs: number }
type Ask = (db: Db, rooms: readonly Room[], now: Date) => Promise<Room[]>

/** As the dispatcher's looks, which are among them: behind nobody's questions, and planned once. */
const ownLane = { kind: 'dispatch', tenant: null } as const

/** The question of always the same rooms, compiled when it is asked first. */
const createQuestion = (): Ask => {
  const compile = (rooms: readonly Room[], counts: readonly number[]) =>
    prepared((db, ...values: string[]) => {
      const left = [...values]
      const asked = rooms.map(({ round }, index) => {
        const found = round.due(db, ...left.splice(0, counts[index])).map((query) => sql`exists (${query})`)
        return sql`${sql.join(found, sql` or `)} as ${sql.ref(`${index}`)}`
      })
      return sql<Record<string, boolean>>`select ${sql.join(asked)}`
    })
  let ask: ReturnType<typeof compile> | undefined
  return async (db, rooms, now) => {
    const values = rooms.map(({ round }) => round.values(now))
    ask ??= compile(
      rooms,
      values.map((own) => own.length),
    )
    const [answer] = await ask(db, ...values.flat())
    return rooms.filter((_room, index) => answer?.[index])
  }
}

export const createRounds = ({ db, log, now }: Pick<Platform, 'db' | 'log' | 'now'>, pauseMs = 1_000): Rounds => {
  let rooms: readonly Room[] = []
  let askAll = createQuestion()
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

  const findDue = async (asked: readonly Room[]): Promise<Room[]> => {
    try {
      return await askAll(db, asked, now())
    } catch (error) {
      // A question that the database does not answer must not keep the others from theirs; one that is gone answers none.
      if (!(error instanceof pg.DatabaseError)) throw error
      return (await Promise.all(asked.map(askAlone))).flat()
    }
  }

  const askAlone = (room: Room): Promise<Room[]> =>
    createQuestion()(db, [room], now()).catch((error: unknown) => {
      log.error({ err: error, round: room.round.name }, 'it could not be asked whether anything is due')
      return []
    })

  const look = async (): Promise<void> => {
    if (isAsking) return
    isAsking = true
    try {
      for (const room of await findDue(rooms)) begin(room)
    } catch (error) {
      log.error({ err: error }, 'it could not be asked what is due')
    } finally {
      isAsking = false
    }
  }

  const change = (next: readonly Room[]): void => {
    rooms = next
    askAll = createQuestion()
    clearInterval(timer)
    timer = rooms.length === 0 ? undefined : setInterval(() => void inWork(ownLane, look), pauseMs)
  }

  return {
    add: (...added) => {
      const own = added.map((round): Room => ({ round, underway: null, beganMs: Number.NEGATIVE_INFINITY }))
      change([...rooms, ...own])
      return async () => {
        change(rooms.filter((room) => !own.includes(room)))
        await Promise.all(own.map((room) => room.underway))
      }
    },
    ask: async (db) => (await createQuestion()(db, rooms, now())).map(({ round }) => round.name),
  }
}
