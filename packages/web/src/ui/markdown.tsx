// Markdown from models and apps. HTML is shown as text; links open in a new tab without a referrer. Parsed in blocks,
// so that finished blocks are not parsed again.
import { memo, type ReactNode, useMemo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { CopyButton } from './copy.tsx'
import { blocksOf, completeMarkup } from './markdown-blocks.ts'
import { uiStrings } from './strings.ts'

type MarkdownNode = {
  type: string
  value?: string
  properties?: { className?: unknown }
  children?: MarkdownNode[]
}

const plugins = [remarkGfm]

const textOf = (node: MarkdownNode): string =>
  node.type === 'text' ? (node.value ?? '') : (node.children ?? []).map(textOf).join('')

/** From the class `language-…` of the code. */
const languageOf = ({ children = [] }: MarkdownNode): string => {
  const names = children.flatMap(({ properties }) => properties?.className)
  return String(names.find((name) => String(name).startsWith('language-')) ?? '').slice('language-'.length)
}

const Code = ({ node, children }: { node: MarkdownNode; children: ReactNode }) => (
  <div className="relative">
    {/* Long lines scroll, which the keyboard can do only in a focusable element. */}
    <pre tabIndex={0} className="!pr-20">
      {children}
    </pre>
    <div className="absolute top-1 right-1 flex items-center gap-1 text-[11px] text-soft">
      {languageOf(node)} <CopyButton text={textOf(node)} label={uiStrings.copyCode} />
    </div>
  </div>
)

const components: Components = {
  pre: ({ node, children }) => <Code node={node as MarkdownNode}>{children}</Code>,
  table: ({ children }) => (
    <div tabIndex={0} className="overflow-x-auto">
      <table>{children}</table>
    </div>
  ),
  // The box of a task list, which the text next to it names.
  input: ({ checked }) => (
    <input
      type="checkbox"
      checked={checked ?? false}
      disabled
      aria-label={checked ? uiStrings.done : uiStrings.notDone}
    />
  ),
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  ),
  // A remote image would reveal the reader to its host; its address is shown instead.
  img: ({ src, alt }) => <code>{`${alt ?? ''} ${typeof src === 'string' ? src : ''}`}</code>,
}

const Block = memo(({ text }: { text: string }) => (
  <ReactMarkdown remarkPlugins={plugins} components={components}>
    {text}
  </ReactMarkdown>
))

const Markdown = ({ text, live }: { text: string; live: boolean }) => {
  const blocks = useMemo(() => blocksOf(text), [text])
  return (
    <div className="prose-plain break-words">
      {blocks.map((block, index) => (
        <Block key={`block-${index + 1}`} text={live && index === blocks.length - 1 ? completeMarkup(block) : block} />
      ))}
    </div>
  )
}

export default Markdown
