// Markdown from models and apps. HTML in it is shown as text; links open elsewhere and tell nobody where from. Read block by
// block, so that what is already there is not read again while more comes.
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
  // A picture from elsewhere would tell its host who reads; its address is shown instead.
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
