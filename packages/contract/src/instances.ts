// Schemas of rented machines: clouds, offers, daily prices, and machines.
import Type, { type Static } from 'typebox'
import { baseFields, Nullable, permissionFields, StringEnum, Timestamp } from './common.ts'

export const cloudKinds = ['http', 'local'] as const
export type CloudKind = (typeof cloudKinds)[number]
export const rentalTypes = ['on_demand', 'spot'] as const
export type RentalType = (typeof rentalTypes)[number]
export const deploymentTypes = ['vm', 'container', 'baremetal'] as const

export const CloudPath = Type.Object({
  key: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 }),
})

export const DeleteCloudQuery = Type.Object({
  abandon: Type.Optional(
    Type.Boolean({
      description:
        'Ends the rentals of its machines and gives the machines up without an answer of the broker. Machines that still exist must be removed at the provider',
    }),
  ),
})

export const Cloud = Type.Object({
  key: Type.String(),
  kind: StringEnum(cloudKinds),
  name: Type.String(),
  logo_url: Type.String(),
  url: Type.String(),
  enabled: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Cloud = Static<typeof Cloud>

export const SetCloud = Type.Object({
  kind: StringEnum(cloudKinds),
  name: Type.String({ minLength: 1, maxLength: 200 }),
  logo_url: Type.Optional(Type.String({ maxLength: 2000 })),
  url: Type.Optional(Type.String({ maxLength: 2000, description: 'URL of the broker; required for kind http' })),
  token: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4000, description: 'Unchanged if omitted in an update' }),
  ),
  enabled: Type.Optional(Type.Boolean()),
})
export type SetCloud = Static<typeof SetCloud>

const WholeNumber = Type.Integer({ minimum: 0, maximum: 1_000_000_000 })

export const InstanceConfiguration = Type.Object({
  gpu_type: Type.String({ maxLength: 100 }),
  gpu_manufacturer: Type.String({ maxLength: 100 }),
  interconnect: Type.String({ maxLength: 100 }),
  num_gpus: Type.Integer({ minimum: 0, maximum: 1024 }),
  nvlink: Type.Boolean(),
  vram_per_gpu_in_gb: WholeNumber,
  memory_in_gb: WholeNumber,
  vcpus: WholeNumber,
  storage_in_gb: WholeNumber,
  os_options: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
})
export type InstanceConfiguration = Static<typeof InstanceConfiguration>

const Price = Type.Integer({ minimum: 1, maximum: 100_000_000, description: 'Cents per hour' })

export const OfferedRegion = Type.Object({
  region: Type.String({ minLength: 1, maxLength: 100 }),
  rental_type: StringEnum(rentalTypes),
  available: Type.Boolean(),
  hourly_price: Price,
})
export type OfferedRegion = Static<typeof OfferedRegion>

export const BootTime = Type.Object({
  average_seconds: Type.Number(),
  updated_at: Type.String(),
  sample_size: Type.Integer(),
})

export const Offer = Type.Object({
  catalog_instance_type: Type.String({ minLength: 1, maxLength: 200 }),
  cloud_instance_type: Type.String({ minLength: 1, maxLength: 200 }),
  deployment_type: StringEnum(deploymentTypes),
  configuration: Type.Partial(InstanceConfiguration),
  availability: Type.Array(OfferedRegion, { maxItems: 1000 }),
  boot_time: Type.Optional(BootTime),
})
export type Offer = Static<typeof Offer>

export const SetOffers = Type.Object({ types: Type.Array(Offer, { maxItems: 5000 }) })
export type SetOffers = Static<typeof SetOffers>

export const InstanceType = Type.Object({
  id: Type.String(),
  cloud: Type.String(),
  cloud_logo_url: Type.String(),
  region: Type.String(),
  catalog_instance_type: Type.String(),
  cloud_instance_type: Type.String(),
  deployment_type: StringEnum(deploymentTypes),
  hourly_price: Type.Integer({ description: 'Cents per hour' }),
  configuration: InstanceConfiguration,
  availability: Type.Array(OfferedRegion),
  boot_time: Type.Optional(BootTime),
})
export type InstanceType = Static<typeof InstanceType>

export const InstanceTypeQuery = Type.Object({
  gpu_type: Type.Optional(Type.String()),
  num_gpus: Type.Optional(Type.Integer({ minimum: 0 })),
  cloud: Type.Optional(Type.String()),
  region: Type.Optional(Type.String()),
  available: Type.Optional(Type.Boolean()),
  catalog_instance_type: Type.Optional(Type.String()),
  rental_type: Type.Optional(StringEnum(rentalTypes)),
  sort: Type.Optional(Type.String({ description: '`price` or `-price`; other values are ignored' })),
})
export type InstanceTypeQuery = Static<typeof InstanceTypeQuery>

export const PriceHistoryQuery = Type.Object({
  gpu_type: Type.String({ minLength: 1 }),
  num_gpus: Type.Optional(Type.Integer({ minimum: 0, maximum: 1024, description: 'Default: 1' })),
  days: Type.Optional(Type.Integer({ minimum: 1, description: 'Default: 90; at most 365' })),
})

export const PricePoint = Type.Object({
  day: Type.String({ description: 'YYYY-MM-DD in UTC' }),
  on_demand: Type.Optional(Type.Integer()),
  spot: Type.Optional(Type.Integer()),
  on_demand_in_stock: Type.Optional(Type.Integer()),
  spot_in_stock: Type.Optional(Type.Integer()),
  providers: Type.Integer(),
  regions: Type.Integer(),
})
export type PricePoint = Static<typeof PricePoint>

export const EngineOption = Type.Object({
  cloud: Type.String(),
  cloud_logo_url: Type.String(),
  catalog_instance_type: Type.String(),
  cloud_instance_type: Type.String(),
  hourly_price: Type.Integer(),
  configuration: InstanceConfiguration,
  regions: Type.Array(Type.Object({ region: Type.String(), hourly_price: Type.Integer() })),
})
export type EngineOption = Static<typeof EngineOption>

export const EngineType = Type.Object({
  ...InstanceType.properties,
  rental_type: StringEnum(rentalTypes),
  options: Type.Array(EngineOption),
})
export type EngineType = Static<typeof EngineType>

export const instanceStatuses = [
  'creating',
  'pending_provider',
  'pending',
  'active',
  'error',
  'deleting',
  'deleted',
] as const
export type InstanceStatus = (typeof instanceStatuses)[number]

export const Instance = Type.Object({
  ...baseFields,
  ...permissionFields,
  cloud: Type.String(),
  name: Type.String(),
  region: Type.String(),
  catalog_instance_type: Type.String(),
  cloud_instance_type: Type.String(),
  cloud_assigned_id: Type.String(),
  ip: Type.String(),
  ssh_user: Type.String(),
  ssh_port: Type.Integer(),
  status: StringEnum(instanceStatuses),
  rental_type: StringEnum(rentalTypes),
  hourly_price: Type.Integer({ description: 'Cents per hour, as quoted' }),
  cost_estimate: Type.String({ description: 'Microcents paid for the period, as text' }),
  auto_delete: Type.Object({ end_time: Timestamp }),
  configuration: Type.Optional(Nullable(InstanceConfiguration)),
})
export type Instance = Static<typeof Instance>
