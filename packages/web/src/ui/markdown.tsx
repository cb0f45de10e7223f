// Markdown from models and apps. HTML in it is shown as text; links open elsewhere and tell nobody where from.
import ReactMarkdown from 'react-markdown'
import remarkGfm from 'remark-gfm'

const Markdown = ({ text }: { text: string }) => (
  <div className="prose-plain break-words">
    <ReactMarkdown
      remarkPlugins={[remarkGfm]}
      components={{
        a: ({ href, children }) => (
          <a href={href} target="_blank" rel="noreferrer noopener">
            {children}
          </a>
        ),
        // A picture from elsewhere would tell its host who reads; its address is shown instead.
        img: ({ src, alt }) => <code>{`${alt ?? ''} ${typeof src === 'string' ? src : ''}`}</code>,
      }}
    >
      {text}
    </ReactMarkdown>
  </div>
)

export default Markdown
