// Writes a small MaxMind DB file (format 2.0, IPv4 tree, 24-bit records) for tests of the city lookup.

type Value = string | number | Value[] | { [key: string]: Value }

export const writeMmdb = (entries: readonly { network: string; row: Value }[]): Buffer => {
  const nodes: [Slot, Slot][] = [[undefined, undefined]]
  const rows: Buffer[] = []
  for (const { network, row } of entries) {
    const [address = '', length = '32'] = network.split('/')
    const bits = address
      .split('.')
      .map((octet) => Number(octet).toString(2).padStart(8, '0'))
      .join('')
      .slice(0, Number(length))
    insert(nodes, bits, { dataOffset: rows.reduce((sum, one) => sum + one.length, 0) })
    rows.push(encode(row))
  }
  const metadata: Value = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    build_epoch: 1_700_000_000,
    database_type: 'City test',
    description: {},
    ip_version: 4,
    languages: [],
    node_count: nodes.length,
    record_size: 24,
  }
  return Buffer.concat([
    ...nodes.flat().map((slot) => record(slot, nodes.length)),
    Buffer.alloc(16),
    ...rows,
    Buffer.from('abcdef4d61784d696e642e636f6d', 'hex'),
    encode(metadata),
  ])
}

type Slot = { node: number } | { dataOffset: number } | undefined

const insert = (nodes: [Slot, Slot][], bits: string, leaf: { dataOffset: number }) => {
  let current = 0
  for (const [depth, bit] of [...bits].entries()) {
    const pair = nodes[current]
    if (!pair) throw new Error('the tree is broken')
    const side = bit === '1' ? 1 : 0
    if (depth === bits.length - 1) pair[side] = leaf
    const slot = pair[side]
    if (slot && 'node' in slot) current = slot.node
    else if (depth < bits.length - 1) {
      current = nodes.push([undefined, undefined]) - 1
      pair[side] = { node: current }
    }
  }
}

const record = (slot: Slot, nodeCount: number): Buffer => {
  const bytes = Buffer.alloc(3)
  const value = slot === undefined ? nodeCount : 'node' in slot ? slot.node : nodeCount + 16 + slot.dataOffset
  bytes.writeUIntBE(value, 0, 3)
  return bytes
}

const encode = (value: Value): Buffer => {
  if (typeof value === 'string') return Buffer.concat([control(2, Buffer.byteLength(value)), Buffer.from(value)])
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([control(11, value.length), ...value.map(encode)])
  const pairs = Object.entries(value)
  return Buffer.concat([control(7, pairs.length), ...pairs.flatMap(([key, one]) => [encode(key), encode(one)])])
}

/** Sizes below 29 fit in the control byte; types above 7 need a second byte. */
const control = (type: number, size: number): Buffer => {
  if (size > 28) throw new Error('values of this size are not needed here')
  return type <= 7 ? Buffer.from([(type << 5) | size]) : Buffer.from([size, type - 7])
}
