// Status changes that arrive together are written by one statement. A change inside a transaction stays on its own.
import type { Actor } from '#platform/core/actor.ts'
import type { Ctx } from '#platform/core/ctx.ts'
import { perPlatform } from '#platform/core/per-platform.ts'
import type { Db } from '#platform/db/database.ts'
import { createGroup, type Group } from '#platform/db/group-commit.ts'
import { asSharedWork } from '#platform/fairness/work.ts'
import { type MovedRow, moveTask, moveTasks, type StatusMove } from './move-store.ts'

type MoveGroup = Group<StatusMove, MovedRow | undefined>

const groups = perPlatform((): { group?: MoveGroup } => ({}))

/**
 * The group statement skips a task that it cannot lock or that has no worker. The task's own statement then waits for
 * the lock and decides, without delaying the group.
 */
export const moveInGroup = async (ctx: Ctx<Actor>, move: StatusMove): Promise<MovedRow | undefined> => {
  if (ctx.db.isTransaction) return moveTask(ctx.db, move)
  const own = groups(ctx)
  own.group ??= createMoveGroup(ctx.db)
  return (await own.group.add(move)) ?? (await moveTask(ctx.db, move))
}

const createMoveGroup = (db: Db): MoveGroup =>
  createGroup({
    write: (moves) => asSharedWork(() => writeMoves(db, moves)),
    charsOf: ({ output = '', error = '' }) => output.length + error.length,
  })

/** Of several changes of one task, only the first one is part of the statement. */
const writeMoves = async (db: Db, moves: readonly StatusMove[]): Promise<(MovedRow | undefined)[]> => {
  const [only] = moves
  // The statement for one task costs less.
  if (only && moves.length === 1) return [await moveTask(db, only, { skipsLocked: true })]
  const first = new Map(moves.toReversed().map((move) => [move.id, move]))
  const moved = new Map((await moveTasks(db, [...first.values()])).map((row) => [row.id, row]))
  return moves.map((move) => (first.get(move.id) === move ? moved.get(move.id) : undefined))
}
