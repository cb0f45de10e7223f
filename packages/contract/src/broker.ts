// The interface between a server and a broker of rented machines.
import type { InstanceConfiguration } from './instances.ts'

export type Machine = {
  readonly id: string
  readonly name: string
  readonly region: string
  readonly catalog_instance_type: string
  readonly cloud_instance_type: string
  readonly rental_type: string
  readonly end_time: string
  readonly configuration: InstanceConfiguration
  readonly engine: { readonly id: string; readonly name: string; readonly api_url: string; readonly api_key: string }
}
