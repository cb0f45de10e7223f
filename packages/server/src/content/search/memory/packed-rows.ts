// The rows of one kind and audience, side by side in blocks that are all full except the last. Maps rows to places.
import { rowsAtOnce } from './sign-scan.ts'
import type { Signs, Stretch } from './signs.ts'

/** `rows`: the row at each place of the stretch. */
export type Block = { stretch: Stretch; rows: Int32Array; count: number }
export type RowGroup = { readonly key: string; readonly blocks: Block[] }

const rowsOfBlock = rowsAtOnce

type RowLocation = { group: RowGroup; block: Block; place: number }

export const createPackedRows = (signs: Signs) => {
  const locations: (RowLocation | undefined)[] = []

  const newBlock = (room: number): Block => {
    const stretch = signs.take(room)
    return { stretch, rows: new Int32Array(stretch.room), count: 0 }
  }
  const widen = (block: Block): void => {
    const { stretch, rows } = block
    Object.assign(block, newBlock(stretch.room + 1), { count: block.count })
    block.rows.set(rows)
    for (let place = 0; place < block.count; place += 1) signs.copy(stretch, place, block.stretch, place)
    signs.giveBack(stretch)
  }
  /** The first block of a group is small; later ones have the maximum size. */
  const blockWithRoom = ({ blocks }: RowGroup): Block => {
    const last = blocks.at(-1)
    if (last && last.count < rowsOfBlock) {
      if (last.count === last.stretch.room) widen(last)
      return last
    }
    const block = newBlock(last ? rowsOfBlock : 1)
    blocks.push(block)
    return block
  }
  const placeRow = (row: number, location: RowLocation): void => {
    locations[row] = location
    location.block.rows[location.place] = row
  }
  return {
    join: (group: RowGroup, row: number, vector: Int8Array): void => {
      const block = blockWithRoom(group)
      signs.write(block.stretch, block.count, vector)
      placeRow(row, { group, block, place: block.count })
      block.count += 1
    },
    /** Moves the last row of the group to the place of the removed one. Returns the group. */
    leave: (row: number): RowGroup | undefined => {
      const location = locations[row]
      const last = location?.group.blocks.at(-1)
      if (!location || !last) return undefined
      locations[row] = undefined
      last.count -= 1
      const moved = last.rows[last.count] ?? row
      if (moved !== row) {
        signs.copy(last.stretch, last.count, location.block.stretch, location.place)
        placeRow(moved, location)
      }
      if (last.count === 0) {
        location.group.blocks.pop()
        signs.giveBack(last.stretch)
      }
      return location.group
    },
  }
}
