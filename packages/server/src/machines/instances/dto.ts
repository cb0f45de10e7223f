// Converts rented machines to their form on the wire.
import type { Instance, InstanceConfiguration } from '@millrace/contract/instances'
import { resourceFields } from '#platform/tenancy/resource.ts'
import type { InstanceRow } from './machines-store.ts'

export const instanceDto = (row: InstanceRow): Instance => ({
  ...resourceFields(row),
  deleted_at: row.deleted_at,
  visibility: 'team',
  cloud: row.cloud,
  name: row.name,
  region: row.region,
  catalog_instance_type: row.catalog_instance_type,
  cloud_instance_type: row.cloud_instance_type,
  cloud_assigned_id: row.cloud_assigned_id,
  ip: row.ip,
  ssh_user: row.ssh_user,
  ssh_port: row.ssh_port,
  status: row.status as Instance['status'],
  rental_type: row.rental_type as Instance['rental_type'],
  hourly_price: row.hourly_price,
  cost_estimate: String(row.paid),
  auto_delete: { end_time: row.end_time },
  configuration: row.configuration as InstanceConfiguration,
})
