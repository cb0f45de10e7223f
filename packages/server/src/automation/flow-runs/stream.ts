// Streams of a flow run: the run until it ends, and the tasks of its nodes.
import type { Bus } from '#platform/bus/bus.ts'
import { createInbox } from '#platform/bus/inbox.ts'
import { backlogBytesLimit, type ResourceChange, type ResourceUpdate } from '#platform/bus/resource-stream.ts'
import type { StreamEvent } from '#platform/core/event-stream.ts'
import type { Subject } from '#platform/core/subject.ts'

/** `seq` is the number of the task's latest change. */
export type NumberedTask = { id: string; seq: number }

export type RunTasksSource = {
  tasksSubject: Subject<ResourceUpdate>
  runSubject: Subject<ResourceUpdate>
  /** The tasks of the run that the reader may see, and whether the run is over. */
  list(): Promise<{ tasks: readonly NumberedTask[]; over: boolean }>
  /** The event number up to which the reader has received everything; 0 for a new reader. */
  since: number
  /** A complete task; undefined if it was deleted. Loaded one at a time, because logs may be large. */
  load(id: string): Promise<{ seq: number; data: object } | undefined>
}

/** The id of an event is the number of changes of all tasks that have been sent with it, so it only grows. */
export const countChanges = (tasks: readonly NumberedTask[]): number => tasks.reduce((sum, { seq }) => sum + seq, 0)

type TaskChange = ResourceChange & { data?: { id?: string } }

const backlogLimit = 256

/** The changes that the reader has received. */
const createDelivered = () => {
  const seqs = new Map<string, number>()
  let changes = 0
  return {
    seqOf: (id: string): number | undefined => seqs.get(id),
    changes: (): number => changes,
    /** Returns the event id. */
    add: (id: string, seq: number): number => {
      changes += seq - (seqs.get(id) ?? 0)
      seqs.set(id, seq)
      return changes
    },
  }
}

type Delivered = ReturnType<typeof createDelivered>

/**
 * Only the last event has a new id, which confirms all of them. Earlier ones repeat the previous id, so that a reader
 * who was disconnected in between receives all of them again.
 */
async function* wholeTasks(
  source: RunTasksSource,
  tasks: readonly NumberedTask[],
  delivered: Delivered,
): AsyncGenerator<StreamEvent> {
  const before = Math.max(delivered.changes(), Math.min(source.since, countChanges(tasks)))
  const changed = tasks.filter(({ id, seq }) => seq > (delivered.seqOf(id) ?? 0))
  for (const [index, { id }] of changed.entries()) {
    const task = await source.load(id)
    if (!task) continue
    const number = delivered.add(id, task.seq)
    yield { type: 'update', data: task.data, id: index === changed.length - 1 ? number : before }
  }
}

/** Sends all tasks, then each change; ends with the run, after the last state of all tasks. */
export async function* runTaskEvents(
  bus: Bus,
  source: RunTasksSource,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const inbox = createInbox<TaskChange>({ items: backlogLimit, bytes: backlogBytesLimit }, signal)
  const unsubscribes = [
    bus.subscribe(source.tasksSubject, (change) => inbox.put(change as TaskChange, change.weightBytes)),
    bus.subscribe(source.runSubject, inbox.requestReload, { onQuiet: inbox.requestReload }),
  ]
  const delivered = createDelivered()
  try {
    await bus.settled()
    inbox.requestReload()
    for (let over = false; !over && !signal.aborted; ) {
      const { items, dropped, mayHaveMissed } = await inbox.take()
      if (dropped || mayHaveMissed) {
        const listed = await source.list()
        over = listed.over
        yield* wholeTasks(source, listed.tasks, delivered)
        continue
      }
      for (const change of items) {
        const id = change.data?.id
        const before = id === undefined ? undefined : delivered.seqOf(id)
        // A new task or a missed change causes a full reload.
        if (id === undefined || !change.data || before === undefined || change.seq > before + 1) inbox.requestReload()
        else if (change.seq > before)
          yield { type: 'update', id: delivered.add(id, change.seq), data: change.data, fields: change.fields }
      }
    }
  } finally {
    for (const unsubscribe of unsubscribes) unsubscribe()
    inbox.close()
  }
}
