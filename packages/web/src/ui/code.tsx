// Code to read and copy, and the editor behind a lazy door.
import { lazy, Suspense } from 'react'
import type { CodeEditorProps } from './code-editor.tsx'
import { CopyButton } from './copy.tsx'
import { Skeleton } from './page.tsx'

const Editor = lazy(() => import('./code-editor.tsx'))

export const CodeEditor = (props: CodeEditorProps) => (
  <Suspense fallback={<Skeleton className="h-16" />}>
    <Editor {...props} />
  </Suspense>
)

export const CodeBlock = ({ text, label = 'Code' }: { text: string; label?: string }) => (
  <div className="relative rounded-md border bg-canvas">
    <div className="absolute top-1 right-1 rounded bg-canvas">
      <CopyButton text={text} />
    </div>
    <section tabIndex={0} aria-label={label} className="overflow-x-auto p-3 pr-9">
      <pre className="font-mono text-[12px] leading-5">{text}</pre>
    </section>
  </div>
)
