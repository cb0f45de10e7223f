// A flow run as streams: the run itself until it ends, and the tasks of its nodes for as long.
import type { Bus } from '../bus/bus.ts'
import { createInbox } from '../bus/inbox.ts'
import type { ResourceChange, ResourceNews } from '../bus/resource-stream.ts'
import type { StreamEvent } from '../core/event-stream.ts'
import type { Subject } from '../core/subject.ts'

export type SeenTask = { id: string; seq: number; data: object }

export type RunTasksSource = {
  tasksSubject: Subject<ResourceNews>
  runSubject: Subject<ResourceNews>
  /** The tasks of the run as they are, and whether the run is over. */
  load(): Promise<{ tasks: readonly SeenTask[]; over: boolean }>
}

type TaskChange = ResourceChange & { data?: { id?: string } }

const backlogLimit = 256

/** First every task whole, then each change of one; ends with the run, after the last state of all its tasks. */
export async function* runTaskEvents(
  bus: Bus,
  source: RunTasksSource,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const inbox = createInbox<TaskChange>({ items: backlogLimit }, signal)
  const unsubscribes = [
    bus.subscribe(source.tasksSubject, (change) => inbox.put(change as TaskChange)),
    bus.subscribe(source.runSubject, inbox.lookAgain, { onQuiet: inbox.lookAgain }),
  ]
  const seen = new Map<string, number>()
  try {
    await bus.settled()
    inbox.lookAgain()
    for (let over = false; !over && !signal.aborted; ) {
      const { items, dropped, doubted } = await inbox.take()
      if (dropped || doubted) {
        const loaded = await source.load()
        over = loaded.over
        for (const { id, seq, data } of loaded.tasks) {
          if (seq <= (seen.get(id) ?? 0)) continue
          seen.set(id, seq)
          yield { type: 'update', data }
        }
        continue
      }
      for (const change of items) {
        const id = change.data?.id
        const before = id === undefined ? undefined : seen.get(id)
        // A task that is new here, or a change that was missed: everything is looked at again.
        if (id === undefined || !change.data || before === undefined || change.seq > before + 1) inbox.lookAgain()
        else if (change.seq > before) {
          seen.set(id, change.seq)
          yield { type: 'update', data: change.data, fields: change.fields }
        }
      }
    }
  } finally {
    for (const unsubscribe of unsubscribes) unsubscribe()
    inbox.close()
  }
}
