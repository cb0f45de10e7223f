// Code to read and copy, and the lazily loaded editor.
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
  <div className="flex items-start rounded-md border bg-canvas">
    <section tabIndex={0} aria-label={label} className="min-w-0 grow overflow-x-auto p-3">
      <pre className="font-mono text-[12px] leading-5">{text}</pre>
    </section>
    <div className="p-1">
      <CopyButton text={text} />
    </div>
  </div>
)
