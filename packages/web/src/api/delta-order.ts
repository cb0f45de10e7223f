// Joins the deltas of a stream by their numbers, which start at 1 per attempt. Deltas are not repeated after a reconnect,
// so some can be missing. Pure.

type Numbered = { readonly seq: number }

/** Shown in place of missing text. */
const gap = '… '

/** Adds delta `seq` with `add`, which gets the sum to extend and the text of a gap. A repeated delta changes nothing. */
export const addInOrder = <T extends Numbered>(
  sum: T,
  seq: number,
  { empty, add }: { empty: T; add: (base: T, gap: string) => T },
): T => {
  if (seq === 1) return add(empty, '')
  if (seq <= sum.seq) return sum
  return add(sum, seq === sum.seq + 1 ? '' : gap)
}
