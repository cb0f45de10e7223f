// A flow run as streams: the run itself until it ends, and the tasks of its nodes for as long.
import type { Bus } from '#platform/bus/bus.ts'
import { createInbox } from '#platform/bus/inbox.ts'
import { backlogBytesLimit, type ResourceChange, type ResourceNews } from '#platform/bus/resource-stream.ts'
import type { StreamEvent } from '#platform/core/event-stream.ts'
import type { Subject } from '#platform/core/subject.ts'

/** `seq` is the number of the task's latest change. */
export type NumberedTask = { id: string; seq: number }

export type RunTasksSource = {
  tasksSubject: Subject<ResourceNews>
  runSubject: Subject<ResourceNews>
  /** The tasks of the run that the reader may see, and whether the run is over. */
  list(): Promise<{ tasks: readonly NumberedTask[]; over: boolean }>
  /** The number up to which the reader has heard everything; 0 for one that is new here. */
  since: number
  /** One of them whole; undefined when it is gone by now. Asked one at a time as they are read, because logs may be large. */
  load(id: string): Promise<{ seq: number; data: object } | undefined>
}

/** An event is numbered by how many changes, of all tasks together, have been told with it: that only rises. */
export const countChanges = (tasks: readonly NumberedTask[]): number => tasks.reduce((sum, { seq }) => sum + seq, 0)

type TaskChange = ResourceChange & { data?: { id?: string } }

const backlogLimit = 256

/** What the reader has been told of, and the number that goes with it. */
const createTold = () => {
  const seqs = new Map<string, number>()
  let changes = 0
  return {
    seqOf: (id: string): number | undefined => seqs.get(id),
    changes: (): number => changes,
    /** Gives the number of the event that tells of it. */
    add: (id: string, seq: number): number => {
      changes += seq - (seqs.get(id) ?? 0)
      seqs.set(id, seq)
      return changes
    },
  }
}

type Told = ReturnType<typeof createTold>

/**
 * Only the last one has a new number: who has that number has all of them. Those before it repeat the one that the reader
 * had already, so that every event has one to go on from, and whoever has heard only some hears all of them again.
 */
async function* wholeTasks(
  source: RunTasksSource,
  tasks: readonly NumberedTask[],
  told: Told,
): AsyncGenerator<StreamEvent> {
  const before = Math.max(told.changes(), Math.min(source.since, countChanges(tasks)))
  const changed = tasks.filter(({ id, seq }) => seq > (told.seqOf(id) ?? 0))
  for (const [index, { id }] of changed.entries()) {
    const task = await source.load(id)
    if (!task) continue
    const number = told.add(id, task.seq)
    yield { type: 'update', data: task.data, id: index === changed.length - 1 ? number : before }
  }
}

/** First every task whole, then each change of one; ends with the run, after the last state of all its tasks. */
export async function* runTaskEvents(
  bus: Bus,
  source: RunTasksSource,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const inbox = createInbox<TaskChange>({ items: backlogLimit, bytes: backlogBytesLimit }, signal)
  const unsubscribes = [
    bus.subscribe(source.tasksSubject, (change) => inbox.put(change as TaskChange, change.weightBytes)),
    bus.subscribe(source.runSubject, inbox.lookAgain, { onQuiet: inbox.lookAgain }),
  ]
  const told = createTold()
  try {
    await bus.settled()
    inbox.lookAgain()
    for (let over = false; !over && !signal.aborted; ) {
      const { items, dropped, doubted } = await inbox.take()
      if (dropped || doubted) {
        const listed = await source.list()
        over = listed.over
        yield* wholeTasks(source, listed.tasks, told)
        continue
      }
      for (const change of items) {
        const id = change.data?.id
        const before = id === undefined ? undefined : told.seqOf(id)
        // A task that is new here, or a change that was missed: everything is looked at again.
        if (id === undefined || !change.data || before === undefined || change.seq > before + 1) inbox.lookAgain()
        else if (change.seq > before)
          yield { type: 'update', id: told.add(id, change.seq), data: change.data, fields: change.fields }
      }
    }
  } finally {
    for (const unsubscribe of unsubscribes) unsubscribe()
    inbox.close()
  }
}
