// The interface of all clouds: launch a machine under our id, return its status, remove it. Every call can be repeated.
import type { Machine } from '@millrace/contract/broker'
import type { InstanceStatus } from '@millrace/contract/instances'

export type InstanceFacts = {
  readonly status: InstanceStatus
  readonly cloud_assigned_id?: string
  readonly ip?: string
  readonly ssh_user?: string
  readonly ssh_port?: number
  /** The time at which the provider will remove it. */
  readonly interruption_at?: string
}

export type MachineStatus =
  | { kind: 'there'; facts: InstanceFacts }
  | { kind: 'gone' }
  | { kind: 'unknown'; why: string }

/** `certain`: the provider refused. Otherwise the machine may still be created. */
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
  launch(machine: Machine): Promise<InstanceFacts>
  getStatus(id: string): Promise<MachineStatus>
  /** Whether the machine is gone. */
  remove(id: string): Promise<boolean>
  /** The ids of all machines that it runs for us; null if it cannot list them. */
  list(): Promise<string[] | null>
}
