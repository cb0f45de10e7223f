// Which resources a markdown text mentions: links to them, and their refs in backticks. Pure; whether there is such a
// resource is somebody else's question.
import { parseRef, type Ref } from '@millrace/contract/refs'

/** More than this many different refs in one text are not looked up. */
const maxMentions = 500

/** Nor are more links than this looked at: a text of ten million brackets is read like any other. */
const maxLinks = 5_000
const longestTarget = 300

const codeSpan = /`([^`\n]{3,200})`/g
const linkTarget = /^\s*<?([^\s)>]{3,})[\s)>]/

/** Where a link names its target: behind `](`, and behind `]:` where `[label]: target` stands apart from its link. */
const linkOpenings = ['](', ']:'] as const

/** What stands behind the openings of links in the text, as far as it is a target. */
function* linkTargets(markdown: string): Generator<string> {
  for (const opening of linkOpenings) {
    let at = markdown.indexOf(opening)
    for (let links = 0; at >= 0 && links < maxLinks; links += 1) {
      const target = linkTarget.exec(markdown.slice(at + 2, at + 2 + longestTarget))?.[1]
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

/** `ns/name`, `knowledge/ns/name`, `/knowledge/ns/name` and the same below our own address. */
const linked = (target: string, baseUrl: string): Mention | null => {
  const base = `${baseUrl.replace(/\/+$/, '')}/`
  const [address = ''] = target.split(/[?#]/, 1)
  if (address.startsWith(base)) return inCollection(address.slice(base.length))
  return address.startsWith('/') ? inCollection(address.slice(1)) : mentionOf(address)
}

/** A path of ours names its collection; only knowledge counts. */
const inCollection = (path: string): Mention | null => (path.startsWith('knowledge/') ? mentionOf(path) : null)

export const mentionsIn = (markdown: string, baseUrl: string): Mention[] => {
  const found = new Map<string, Mention>()
  const add = (mention: Mention | null): void => {
    if (mention && found.size < maxMentions)
      found.set(`${mention.type ?? ''}/${mention.namespace}/${mention.name}`, mention)
  }
  for (const [, text = ''] of markdown.matchAll(codeSpan)) add(mentionOf(text.trim()))
  // A target ends before something; the last one before the end of the text.
  for (const target of linkTargets(`${markdown}\n`)) add(linked(target, baseUrl))
  return [...found.values()]
}
