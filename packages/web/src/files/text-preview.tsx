// Shows the beginning of a text file.
import { useQuery } from '@tanstack/react-query'
import { ProblemNote, SkeletonRows } from '../ui/page.tsx'
import { strings } from './strings.ts'

const maxShown = 100_000

export const isText = (type: string): boolean =>
  /^(text\/|application\/(json|xml|yaml|toml|javascript|x-ndjson|sql)\b)|\+(json|xml)\b/.test(type)

/** Requests only the part that is shown. A server may ignore the range, so the text is cut here, too. */
const beginningOf = async (uri: string, signal: AbortSignal): Promise<string> => {
  const answer = await fetch(uri, { headers: { range: `bytes=0-${maxShown - 1}` }, signal })
  if (!answer.ok) throw new Error(strings.unreadable(answer.status))
  return (await answer.text()).slice(0, maxShown)
}

export const TextPreview = ({ uri, size, name }: { uri: string; size: number; name: string }) => {
  const text = useQuery({ queryKey: ['file_texts', uri], queryFn: ({ signal }) => beginningOf(uri, signal) })
  if (text.error) return <ProblemNote error={text.error} retry={() => void text.refetch()} />
  if (text.data === undefined) return <SkeletonRows rows={4} />
  return (
    <>
      <section tabIndex={0} aria-label={name} className="max-h-[60vh] overflow-auto rounded border bg-canvas p-3">
        <pre className="whitespace-pre-wrap break-words font-mono text-[12px] leading-5">{text.data}</pre>
      </section>
      {size > maxShown ? <p className="mt-1 text-[12px] text-faint">{strings.truncated}</p> : null}
    </>
  )
}
