// Which documents of some pieces hold the words of a query, the best first. Pure but for the sums that it works with.
import { hitAt, mostDocuments, nowhere, type Piece, postingsBeginning, postingsOf, type Range } from './words-piece.ts'

/** A word as it stands in documents, and how many points one gets for it in its head or elsewhere: whole numbers. */
export type AskedWord = { word: string; inHead: number; elsewhere: number }

export type Asked = {
  words: readonly AskedWord[]
  /** Of the last word, which may still be being typed: what holds a longer one holds it too. */
  beginning: string | null
  /** How many of each kind are wanted, and how many that hold every word make the others needless. */
  limit: number
  enough: number
}

/** Where a piece has the postings of a word, and of longer ones that begin like it. */
export type List = AskedWord & { whole: Range; longer: Range; size: number }

const sizeOf = ({ start, end }: Range): number => end - start

export const listsOf = (piece: Piece, { words, beginning }: Asked): List[] =>
  words.map((asked, place) => {
    const whole = postingsOf(piece, asked.word)
    const isBegun = beginning !== null && place === words.length - 1
    const begun = isBegun ? postingsBeginning(piece, beginning) : nowhere
    // A word comes right before the longer ones, unless it stands in documents in another form.
    const isFirst = sizeOf(whole) > 0 && begun.start === whole.start
    const longer = isFirst ? { start: whole.end, body: whole.end, end: begun.end } : begun
    return { ...asked, whole, longer, size: sizeOf(whole) + sizeOf(longer) }
  })

/** Per document of the piece at hand: how many of the words it holds, times this, and its points. */
const sums = new Int32Array(mostDocuments)
const wordBits = 16
const oneWord = 1 << wordBits
/** Which documents were counted for the word at hand already. */
const counted = new Uint8Array(mostDocuments)

const addTo = (postings: Uint16Array, start: number, end: number, points: number): void => {
  for (let at = start; at < end; at += 1) {
    const document = postings[at] ?? 0
    sums[document] = (sums[document] ?? 0) + points
  }
}

/** A longer word counts as the word, but gives a single point. */
const addLonger = ({ ids, postings }: Piece, { whole, longer }: List): void => {
  counted.fill(0, 0, ids.length)
  for (let at = whole.start; at < whole.end; at += 1) counted[postings[at] ?? 0] = 1
  for (let at = longer.start; at < longer.end; at += 1) {
    const document = postings[at] ?? 0
    if (counted[document]) continue
    counted[document] = 1
    sums[document] = (sums[document] ?? 0) + oneWord + 1
  }
}

const sumUp = (piece: Piece, list: List): void => {
  const { whole, inHead, elsewhere } = list
  addTo(piece.postings, whole.start, whole.body, oneWord + inHead)
  addTo(piece.postings, whole.body, whole.end, oneWord + elsewhere)
  if (sizeOf(list.longer) > 0) addLonger(piece, list)
}

/** The same for a single document. */
const sumOf = (piece: Piece, document: number, { whole, inHead, elsewhere }: List): number => {
  const hit = hitAt(piece, whole, document)
  return hit === 0 ? 0 : oneWord + (hit === 2 ? inHead : elsewhere)
}

/** What holds every word comes before what does not; then points count, and the shorter head. */
const wholeRank = 2 ** 20
const headRank = 2 ** 16

type Candidate = { id: string; rank: number; isWhole: boolean }

const best = (candidates: Candidate[], limit: number): Candidate[] =>
  candidates.sort((a, b) => b.rank - a.rank || (a.id < b.id ? -1 : 1)).slice(0, limit)

/** How many words it takes at least to get so many points, if all of them stand in a head. */
const wordsFor = (points: number, words: readonly AskedWord[]): number => {
  if (points >= wholeRank) return words.length
  const most = words.map(({ inHead }) => inHead).sort((a, b) => b - a)
  let count = 0
  for (let reached = 0; reached < points && count < words.length; count += 1) reached += most[count] ?? 0
  return Math.max(count, 1)
}

/** The best so far. Once there are as many as are wanted, nothing of a rank up to `least`, nor with fewer words, is of use. */
type Ranking = { candidates: Candidate[]; least: number; held: number }

const take = (ranking: Ranking, { words, limit }: Asked, { ids, headSizes }: Piece, at: number, sum: number): void => {
  const isWhole = sum >>> wordBits >= words.length
  const points = (sum & (oneWord - 1)) + (isWhole ? wholeRank : 0)
  const rank = points * headRank - (headSizes[at] ?? 0)
  if (rank <= ranking.least) return
  ranking.candidates.push({ id: ids[at] ?? '', rank, isWhole })
  if (ranking.candidates.length < limit * 4) return
  ranking.candidates = best(ranking.candidates, limit)
  ranking.least = ranking.candidates.at(-1)?.rank ?? 0
  ranking.held = wordsFor(Math.ceil(ranking.least / headRank), words)
}

/** Looking a document up in a list takes as long as reading so many of its postings. */
const lookUpCost = 16

type Chosen = { visited: List[]; lookedUp: List[]; isHeadsOnly: boolean }

/**
 * What holds so many of the words holds one of the rare ones: all but the most common that it may do without. Only the
 * documents of those are visited, and only by their heads where the rest could not become one of the best. Of a common word,
 * documents are looked up where that is less than reading its whole list.
 */
const chosenOf = (lists: readonly List[], { held, least }: Ranking): Chosen => {
  const rareFirst = lists.length < 2 ? lists : [...lists].sort((one, other) => one.size - other.size)
  const visited = rareFirst.slice(0, lists.length - held + 1)
  const others = rareFirst.slice(visited.length)
  const most = visited.reduce((sum, { size }) => sum + size, 0) * lookUpCost
  const pointsAtMost =
    visited.reduce((sum, { elsewhere }) => sum + elsewhere, 0) + others.reduce((sum, { inHead }) => sum + inHead, 0)
  return {
    visited,
    lookedUp: others.filter(({ longer, size }) => sizeOf(longer) === 0 && size > most),
    isHeadsOnly: (wholeRank + pointsAtMost) * headRank <= least,
  }
}

const visit = (piece: Piece, lists: readonly List[], asked: Asked, ranking: Ranking): void => {
  const { gone, ids, postings } = piece
  const { visited, lookedUp, isHeadsOnly } = chosenOf(lists, ranking)
  sums.fill(0, 0, ids.length)
  for (const list of lists) if (!lookedUp.includes(list)) sumUp(piece, list)
  const visitBetween = (start: number, end: number): void => {
    for (let at = start; at < end; at += 1) {
      const document = postings[at] ?? 0
      let sum = sums[document] ?? 0
      if (sum === 0) continue
      sums[document] = 0
      if ((sum >>> wordBits) + lookedUp.length < ranking.held || gone[document]) continue
      for (const list of lookedUp) sum += sumOf(piece, document, list)
      if (sum >>> wordBits >= ranking.held) take(ranking, asked, piece, document, sum)
    }
  }
  for (const { whole, longer } of visited) {
    visitBetween(whole.start, isHeadsOnly ? whole.body : whole.end)
    if (!isHeadsOnly) visitBetween(longer.start, longer.end)
  }
}

/** The ids of what holds the words, the best first. `listsIn`: of a piece. */
export const findIn = (
  pieces: readonly Piece[],
  asked: Asked,
  listsIn: (piece: Piece) => readonly List[],
): string[] => {
  const ranking: Ranking = { candidates: [], least: 0, held: 1 }
  for (const piece of pieces) visit(piece, listsIn(piece), asked, ranking)
  const found = best(ranking.candidates, asked.limit)
  const whole = found.filter(({ isWhole }) => isWhole)
  return (whole.length >= asked.enough ? whole : found).map(({ id }) => id)
}
