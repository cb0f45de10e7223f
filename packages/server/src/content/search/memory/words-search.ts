// Finds the documents of several pieces that contain the words of a query, the best first. Pure, except for the reused
// working arrays.
import {
  hitAt,
  type IndexPiece,
  maxDocuments,
  noPostings,
  type PostingRange,
  postingsBeginning,
  postingsOf,
} from './words-piece.ts'

/** A lexeme, and the integer points for a match in the head or elsewhere. */
export type QueryWord = { word: string; inHead: number; elsewhere: number }

export type WordsQuery = {
  words: readonly QueryWord[]
  /** Prefix of the last word, which may be incomplete: documents with a longer word match too. */
  beginning: string | null
  /**
   * `limit`: maximum number of results per kind. `enough`: with this number of documents that contain every word,
   * others are dropped.
   */
  limit: number
  enough: number
}

/** The postings in a piece for a word, and for longer words with the same prefix. */
export type PostingList = QueryWord & { whole: PostingRange; longer: PostingRange; size: number }

const sizeOf = ({ start, end }: PostingRange): number => end - start

export const listsOf = (piece: IndexPiece, { words, beginning }: WordsQuery): PostingList[] =>
  words.map((query, place) => {
    const whole = postingsOf(piece, query.word)
    const isBegun = beginning !== null && place === words.length - 1
    const begun = isBegun ? postingsBeginning(piece, beginning) : noPostings
    // The word sorts directly before longer words, unless its lexeme differs from the prefix and sorts elsewhere,
    // possibly right after an empty range.
    const isFirst = isBegun && sizeOf(whole) > 0 && begun.start === whole.start && begun.end >= whole.end
    const longer = isFirst ? { start: whole.end, body: whole.end, end: begun.end } : begun
    return { ...query, whole, longer, size: sizeOf(whole) + sizeOf(longer) }
  })

/** Per document of the current piece: the number of matching words in the upper bits, the points in the lower bits. */
const sums = new Int32Array(maxDocuments)
const wordBits = 16
const oneWord = 1 << wordBits
const pointBits = oneWord - 1
/** Documents that were already counted for the current word. */
const counted = new Uint8Array(maxDocuments)

const addTo = (postings: Uint16Array, start: number, end: number, points: number): void => {
  for (let at = start; at < end; at += 1) {
    const document = postings[at] ?? 0
    sums[document] = (sums[document] ?? 0) + points
  }
}

/** A longer word counts as the word, but only with one point. */
const addLonger = ({ ids, postings }: IndexPiece, { whole, longer }: PostingList): void => {
  counted.fill(0, 0, ids.length)
  for (let at = whole.start; at < whole.end; at += 1) counted[postings[at] ?? 0] = 1
  for (let at = longer.start; at < longer.end; at += 1) {
    const document = postings[at] ?? 0
    if (counted[document]) continue
    counted[document] = 1
    sums[document] = (sums[document] ?? 0) + oneWord + 1
  }
}

const sumUp = (piece: IndexPiece, list: PostingList): void => {
  const { whole, inHead, elsewhere } = list
  addTo(piece.postings, whole.start, whole.body, oneWord + inHead)
  addTo(piece.postings, whole.body, whole.end, oneWord + elsewhere)
  if (sizeOf(list.longer) > 0) addLonger(piece, list)
}

/** The same for a single document. */
const sumOf = (piece: IndexPiece, document: number, { whole, inHead, elsewhere }: PostingList): number => {
  const hit = hitAt(piece, whole, document)
  return hit === 0 ? 0 : oneWord + (hit === 2 ? inHead : elsewhere)
}

/** Rank: first whether a document contains every word, then the points, then the shorter head. */
const wholeRank = 2 ** 20
const headRank = 2 ** 16

type Candidate = { id: string; rank: number; isWhole: boolean }

/** The best candidates so far, sorted. Once there are `limit`, lower ranks than the last are dropped. */
type Ranking = {
  readonly limit: number
  readonly candidates: Candidate[]
  minRank: number
  minPoints: number
  /** Minimum number of matching words for `minPoints`. */
  held: number
  /** The points of each word in the head, in descending order. */
  readonly most: readonly number[]
}

const createRanking = ({ words, limit }: WordsQuery): Ranking => {
  const most = words.map(({ inHead }) => inHead).sort((a, b) => b - a)
  return { limit, candidates: [], minRank: 0, minPoints: 0, held: 1, most }
}

/** The minimum number of words for this many points, with all of them in the head. */
const wordsFor = (points: number, most: readonly number[]): number => {
  if (points >= wholeRank) return most.length
  let count = 0
  for (let reached = 0; reached < points && count < most.length; count += 1) reached += most[count] ?? 0
  return Math.max(count, 1)
}

const isBefore = (one: Candidate, other: Candidate): boolean =>
  one.rank > other.rank || (one.rank === other.rank && one.id < other.id)

/** Inserts in order; drops the last candidate above `limit`. */
const insert = (candidates: Candidate[], candidate: Candidate, limit: number): void => {
  let low = 0
  let high = candidates.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(candidates[middle] as Candidate, candidate)) low = middle + 1
    else high = middle
  }
  for (let at = Math.min(candidates.length, limit - 1); at > low; at -= 1)
    candidates[at] = candidates[at - 1] as Candidate
  if (low < limit) candidates[low] = candidate
}

const take = (ranking: Ranking, { ids, headSizes }: IndexPiece, at: number, points: number): void => {
  const { candidates, limit, most } = ranking
  const rank = points * headRank - (headSizes[at] ?? 0)
  if (rank < ranking.minRank) return
  insert(candidates, { id: ids[at] ?? '', rank, isWhole: points >= wholeRank }, limit)
  if (candidates.length < limit) return
  ranking.minRank = candidates[limit - 1]?.rank ?? 0
  const minPoints = Math.ceil(ranking.minRank / headRank)
  if (minPoints === ranking.minPoints) return
  ranking.minPoints = minPoints
  ranking.held = wordsFor(minPoints, most)
}

const added = <T>(list: readonly T[], of: (one: T) => number): number => list.reduce((sum, one) => sum + of(one), 0)
const headSizeOf = ({ whole }: PostingList): number => whole.body - whole.start

/** True if these points are too few even for a document with every word. */
const isTooFew = (points: number, { minPoints }: Ranking): boolean => wholeRank + points < minPoints

/** The maximum points of a document that has none of these words in its head. */
const maxPointsWithout = (heads: readonly PostingList[], lists: readonly PostingList[]): number =>
  added(lists, (list) => (heads.includes(list) ? list.elsewhere : list.inHead))

/** The lists of a piece that can affect the result; drops longer words whose single point cannot suffice. */
const ofUse = (lists: readonly PostingList[], ranking: Ranking): PostingList[] => {
  const isLonger = !isTooFew(added(lists.slice(0, -1), ({ inHead }) => inHead) + 1, ranking)
  return lists
    .map((list) =>
      isLonger || sizeOf(list.longer) === 0 ? list : { ...list, longer: noPostings, size: sizeOf(list.whole) },
    )
    .filter(({ size }) => size > 0)
}

/**
 * The fewest rare words such that a document without any of them in its head cannot be among the best; null if even all
 * words are not enough.
 */
const headsOf = (lists: readonly PostingList[], ranking: Ranking): PostingList[] | null => {
  if (isTooFew(maxPointsWithout([], lists), ranking)) return []
  const rareFirst = [...lists].sort((one, other) => headSizeOf(one) - headSizeOf(other))
  for (let count = 1; count <= lists.length; count += 1) {
    const heads = rareFirst.slice(0, count)
    if (isTooFew(maxPointsWithout(heads, lists), ranking)) return heads
  }
  return null
}

/** The cost of a lookup in a list, in postings read. */
const lookupCost = 16

type Plan = {
  /** The documents of these lists are visited. */
  visited: readonly PostingList[]
  isHeadsOnly: boolean
  /** Lists that are summed up completely, and lists in which visited documents are looked up. */
  read: PostingList[]
  lookedUp: PostingList[]
}

/**
 * A document with at least `held` words contains one of the rarer words, that is, all but the `held - 1` most common.
 * So only the documents of the rarer words are visited, or those of some heads if they are fewer. In much longer lists,
 * documents are looked up individually.
 */
const planOf = (lists: readonly PostingList[], ranking: Ranking): Plan => {
  const rare = [...lists].sort((one, other) => one.size - other.size).slice(0, lists.length - ranking.held + 1)
  const heads = headsOf(lists, ranking)
  const rareSize = added(rare, ({ size }) => size)
  const headsSize = heads === null ? Number.POSITIVE_INFINITY : added(heads, headSizeOf)
  const isHeadsOnly = headsSize < rareSize
  const visited = isHeadsOnly ? (heads ?? []) : rare
  const most = Math.min(headsSize, rareSize) * lookupCost
  const plan: Plan = { visited, isHeadsOnly, read: [], lookedUp: [] }
  for (const list of lists) {
    const { start, body, end } = list.whole
    const isVisited = visited.includes(list)
    if (sizeOf(list.longer) > 0 || (isVisited && !isHeadsOnly)) plan.read.push(list)
    else if (!isVisited) (list.size > most ? plan.lookedUp : plan.read).push(list)
    else if (end - body <= most - headSizeOf(list) * lookupCost) plan.read.push(list)
    else {
      plan.read.push({ ...list, whole: { start, body, end: body } })
      if (visited.length > 1) plan.lookedUp.push({ ...list, whole: { start: body, body, end } })
    }
  }
  return plan
}

/** Visits the documents of postings; visited documents have a cleared sum. */
const visitPostings = (
  piece: IndexPiece,
  start: number,
  end: number,
  lookedUp: readonly PostingList[],
  ranking: Ranking,
): void => {
  const { gone, postings } = piece
  const all = ranking.most.length
  const maxFurtherPoints = wholeRank + added(lookedUp, ({ inHead }) => inHead)
  for (let at = start; at < end; at += 1) {
    const document = postings[at] ?? 0
    let sum = sums[document] ?? 0
    if (sum === 0) continue
    sums[document] = 0
    if ((sum >>> wordBits) + lookedUp.length < ranking.held) continue
    if ((sum & pointBits) + maxFurtherPoints < ranking.minPoints) continue
    for (const list of lookedUp) sum += sumOf(piece, document, list)
    const points = (sum & pointBits) + (sum >>> wordBits >= all ? wholeRank : 0)
    if (points >= ranking.minPoints && !gone[document]) take(ranking, piece, document, points)
  }
}

const searchPiece = (piece: IndexPiece, all: readonly PostingList[], ranking: Ranking): void => {
  const lists = ofUse(all, ranking)
  if (lists.length < ranking.held) return
  const { visited, isHeadsOnly, read, lookedUp } = planOf(lists, ranking)
  if (visited.length === 0) return
  sums.fill(0, 0, piece.ids.length)
  for (const list of read) sumUp(piece, list)
  for (const { whole } of visited) visitPostings(piece, whole.start, whole.body, lookedUp, ranking)
  // The best heads may have made the rest irrelevant.
  if (isHeadsOnly || isTooFew(maxPointsWithout(visited, lists), ranking)) return
  for (const { whole, longer } of visited) {
    visitPostings(piece, whole.body, whole.end, lookedUp, ranking)
    visitPostings(piece, longer.start, longer.end, lookedUp, ranking)
  }
}

/**
 * The ids of matching documents, the best first. `listsIn` returns the lists of a piece. Small pieces first, because
 * their results prune the large ones.
 */
export const findIn = (
  pieces: readonly IndexPiece[],
  query: WordsQuery,
  listsIn: (piece: IndexPiece) => readonly PostingList[],
): string[] => {
  const ranking = createRanking(query)
  const smallFirst = [...pieces].sort((one, other) => one.live - other.live)
  for (const piece of smallFirst) searchPiece(piece, listsIn(piece), ranking)
  const whole = ranking.candidates.filter(({ isWhole }) => isWhole)
  return (whole.length >= query.enough ? whole : ranking.candidates).map(({ id }) => id)
}
