// Markdown behind a lazy door; until it is there, the text as it is.
import { lazy, Suspense } from 'react'

const Markdown = lazy(() => import('./markdown.tsx'))

type LazyMarkdownProps = {
  text: string
  /** More of it is on its way. */
  live?: boolean
}

export const LazyMarkdown = ({ text, live = false }: LazyMarkdownProps) => (
  <Suspense fallback={<p className="whitespace-pre-wrap break-words">{text}</p>}>
    <Markdown text={text} live={live} />
  </Suspense>
)
