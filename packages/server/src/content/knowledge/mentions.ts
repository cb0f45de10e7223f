// Finds the resources that a markdown text mentions: links, and refs in backticks. Pure; does not check whether a
// resource exists.
import { parseRef, type Ref } from '@millrace/contract/refs'

/** Further refs in one text are ignored. */
const maxMentions = 500

/** Further links and code spans are ignored, which bounds the time for a text of ten million brackets. */
const maxLinks = 5_000
const maxCodeSpans = 5_000
const maxTargetLength = 300

const codeSpan = /`([^`\n]{3,200})`/g
const linkTarget = /^\s*<?([^\s)>]{3,})[\s)>]/

/** A link target follows `](`, or `]:` in a reference definition `[label]: target`. */
const linkOpenings = ['](', ']:'] as const

/** Yields the targets after the link openings of the text. */
function* linkTargets(markdown: string): Generator<string> {
  for (const opening of linkOpenings) {
    let at = markdown.indexOf(opening)
    for (let links = 0; at >= 0 && links < maxLinks; links += 1) {
      const target = linkTarget.exec(markdown.slice(at + 2, at + 2 + maxTargetLength))?.[1]
      if (target !== undefined) yield target
      at = markdown.indexOf(opening, at + 2)
    }
  }
}

export type Mention = Pick<Ref, 'type'> & { namespace: string; name: string }

const mentionOf = (text: string): Mention | null => {
  const ref = parseRef(text)
  return ref?.namespace ? { type: ref.type, namespace: ref.namespace, name: ref.name } : null
}

/** Accepts `ns/name`, `knowledge/ns/name`, `/knowledge/ns/name`, and the same below the address of this server. */
const linked = (target: string, baseUrl: string): Mention | null => {
  const base = `${baseUrl.replace(/\/+$/, '')}/`
  const [address = ''] = target.split(/[?#]/, 1)
  if (address.startsWith(base)) return inCollection(address.slice(base.length))
  return address.startsWith('/') ? inCollection(address.slice(1)) : mentionOf(address)
}

/** A path of this server names its collection; only knowledge counts. */
const inCollection = (path: string): Mention | null => (path.startsWith('knowledge/') ? mentionOf(path) : null)

export const mentionsIn = (markdown: string, baseUrl: string): Mention[] => {
  const found = new Map<string, Mention>()
  const add = (mention: Mention | null): void => {
    if (mention && found.size < maxMentions)
      found.set(`${mention.type ?? ''}/${mention.namespace}/${mention.name}`, mention)
  }
  for (const [, text = ''] of markdown.matchAll(codeSpan).take(maxCodeSpans)) add(mentionOf(text.trim()))
  // The newline terminates a target at the end of the text.
  for (const target of linkTargets(`${markdown}\n`)) add(linked(target, baseUrl))
  return [...found.values()]
}
