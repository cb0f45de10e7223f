// The phrases that the voice check rejects, the checked folders, and the exceptions.
import type { Exceptions } from './source-files.ts'

/** Phrases of the old voice. Word boundaries are added; case does not matter. */
export const oldPhrases: readonly RegExp[] = [
  // Relative clauses used as nouns
  /who (?:asks|asked|waits|is asked|calls it|may look)/,
  /whoever/,
  /whatever(?! (?:its|the|their)\b)/,
  /what (?:nothing|nobody|is light|waits|came of)/,
  /nobody['’]s/,
  /somebody who/,
  /that there (?:is|are)(?=[.,;)'"`]|$)/,
  /(?:one|two) of (?:nobody|somebody)/,
  // Personification
  /(?:is|are|was|were|be|been|being) told/,
  /tells? (?:it|them|him|those)\b/,
  /(?:hears?|heard) (?:of|about|from|that|nothing)/,
  /(?:is|are|was|were) said/,
  /stands? (?:in|on|still)(?!-)/,
  /goes without saying/,
  /knows? of/,
  /lets? go/,
  /has (?:its|their) (?:say|turn)/,
  // Idioms that no other documentation uses
  /com(?:e|es|ing) along/,
  /c(?:ame|omes) of it/,
  /from now on/,
  /of late/,
  /in no time/,
  /without a moment/,
  /at the route/,
  /and no more(?=[.,;:)'"`]|$)/,
  /no more than that/,
  /so many (?:and|at)/,
  /too much waits/,
  /sees? to it/,
  /by and by/,
]

/** `path: matched text`. Each needs a reason. */
export const voiceExceptions: Exceptions = {
  'packages/server/src/content/search/embedding/calibration.ts: Who is on call at the weekend':
    'a sentence for calibration',
  'packages/server/src/content/search/embedding/calibration.ts: was said': 'a sentence for calibration',
}
