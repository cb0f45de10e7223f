// Splits a byte stream into lines, and separates the runner's marker lines from the app's output. A line without an end
// is passed on in pieces, so that memory stays bounded.

import { StringDecoder } from 'node:string_decoder'
import { tryParseJson } from '../bounded-json.ts'

export const maxLineLength = 16 * 1024
const markerStart = '\x1e'

export type LineSink = { line: (text: string) => void; marker: (content: Record<string, unknown>) => void }

export const splitLines = (token: string, sink: LineSink): ((chunk: Buffer) => void) => {
  const decoder = new StringDecoder('utf8')
  const markerPrefix = `${markerStart}${token} `
  let rest = ''

  const deliver = (line: string) => {
    // An app that printed without a line end leaves its text in front of the marker.
    const at = line.indexOf(markerPrefix)
    if (at < 0) return sink.line(line)
    if (at > 0) sink.line(line.slice(0, at))
    const content = parseMarker(line.slice(at + markerPrefix.length))
    if (content) sink.marker(content)
  }

  return (chunk) => {
    let text = rest + decoder.write(chunk)
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      deliver(text.slice(start, end))
      start = end + 1
    }
    text = text.slice(start)
    while (text.length > maxLineLength) {
      deliver(text.slice(0, maxLineLength))
      text = text.slice(maxLineLength)
    }
    rest = text
  }
}

const parseMarker = (text: string): Record<string, unknown> | undefined => {
  const parsed = tryParseJson(text)
  return parsed !== null && typeof parsed === 'object' ? { ...parsed } : undefined
}
