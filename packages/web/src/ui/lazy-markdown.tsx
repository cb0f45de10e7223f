// Markdown behind a lazy door; until it is there, the text as it is.
import { lazy, Suspense } from 'react'

const Markdown = lazy(() => import('./markdown.tsx'))

export const LazyMarkdown = ({ text }: { text: string }) => (
  <Suspense fallback={<p className="whitespace-pre-wrap break-words">{text}</p>}>
    <Markdown text={text} />
  </Suspense>
)
