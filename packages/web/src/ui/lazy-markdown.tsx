// Lazily loaded Markdown; shows the plain text until then.
import { lazy, Suspense } from 'react'

const Markdown = lazy(() => import('./markdown.tsx'))

type LazyMarkdownProps = {
  text: string
  /** The text is still being written. */
  live?: boolean
}

export const LazyMarkdown = ({ text, live = false }: LazyMarkdownProps) => (
  <Suspense fallback={<p className="whitespace-pre-wrap break-words">{text}</p>}>
    <Markdown text={text} live={live} />
  </Suspense>
)
