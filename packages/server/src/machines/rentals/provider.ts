// What a cloud can do, whatever it is: start a machine under our id, say how it is, take it away. Each may be asked again.
import type { Machine } from '@millrace/contract/broker'
import type { InstanceStatus } from '@millrace/contract/instances'

export type Facts = {
  readonly status: InstanceStatus
  readonly cloud_assigned_id?: string
  readonly ip?: string
  readonly ssh_user?: string
  readonly ssh_port?: number
  /** The provider will take it away then. */
  readonly interruption_at?: string
}

export type Sight = { kind: 'there'; facts: Facts } | { kind: 'gone' } | { kind: 'unknown'; why: string }

/** `certain`: the provider said no. Otherwise the machine may come to be all the same. */
export class LaunchFailed extends Error {
  readonly certain: boolean

  constructor(why: string, certain: boolean, cause?: unknown) {
    super(why, { cause })
    this.name = 'LaunchFailed'
    this.certain = certain
  }
}

export type Provider = {
  /** Throws `LaunchFailed`. */
  launch(machine: Machine): Promise<Facts>
  look(id: string): Promise<Sight>
  /** Whether it is gone now. */
  remove(id: string): Promise<boolean>
  /** Ids of everything it runs for us; null where it cannot say. */
  list(): Promise<string[] | null>
}
