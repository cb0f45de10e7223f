// Markdown from models and apps. HTML is shown as text; links open in a new tab without a referrer. Parsed in blocks,
// so that finished blocks are not parsed again.
import { memo, useMemo } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { blocksOf, mended } from './markdown-blocks.ts'

const plugins = [remarkGfm]

const components: Components = {
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
        <Block key={`block-${index + 1}`} text={live && index === blocks.length - 1 ? mended(block) : block} />
      ))}
    </div>
  )
}

export default Markdown
