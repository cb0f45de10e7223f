// Shows an output in its best form: images, audio, video, documents, tables, Markdown, and the rest as a tree.
import { Download } from 'lucide-react'
import { useState } from 'react'
import { JsonView } from '../ui/json-view.tsx'
import { LazyMarkdown } from '../ui/lazy-markdown.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { factsIn, type Media, mediaIn, proseIn, tablesIn } from './output-kinds.ts'
import { strings } from './strings.ts'

const words = strings.output

const MediaView = ({ media: { kind, uri, name, field } }: { media: Media }) => (
  <figure className="min-w-0">
    {kind === 'image' ? <img src={uri} alt={name} className="max-h-96 max-w-full rounded border" /> : null}
    {/* biome-ignore lint/a11y/useMediaCaption: what an app made has no captions */}
    {kind === 'audio' ? <audio controls src={uri} className="w-full" /> : null}
    {/* biome-ignore lint/a11y/useMediaCaption: what an app made has no captions */}
    {kind === 'video' ? <video controls src={uri} className="max-h-96 max-w-full rounded border" /> : null}
    {kind === 'pdf' ? <iframe src={uri} title={name} className="h-96 w-full rounded border" /> : null}
    <figcaption className="mt-1">
      <a className="inline-flex items-center gap-1 text-accent hover:underline" href={uri} download={name}>
        <Download className="size-3.5" aria-hidden /> {name}
      </a>
      {field === '' ? null : <span className="ml-2 text-[12px] text-faint">{field}</span>}
    </figcaption>
  </figure>
)

const RowsView = ({ columns, rows }: { columns: readonly string[]; rows: readonly Record<string, unknown>[] }) => (
  <div className="overflow-x-auto rounded border">
    <table className="w-full text-left">
      <thead className="text-[12px] text-faint">
        <tr>
          {columns.map((column) => (
            <th key={column} className="border-b px-2 py-1 font-normal">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={`row-${index + 1}`} className="border-b last:border-0">
            {columns.map((column) => (
              <td key={column} className="figures px-2 py-1">
                {typeof row[column] === 'object' ? JSON.stringify(row[column]) : String(row[column] ?? '')}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const tabs = [words.preview, 'JSON'] as const

export const Output = ({ value }: { value: unknown }) => {
  const media = mediaIn(value)
  const tables = tablesIn(value)
  const prose = proseIn(value)
  const [tab, setTab] = useState<(typeof tabs)[number]>(words.preview)
  const facts = factsIn(value)
  if (media.length + tables.length + prose.length === 0) return <JsonView value={value} />
  return (
    <div>
      <Tabs label={words.view} tabs={tabs} value={tab} onChange={setTab} />
      {tab === 'JSON' ? (
        <JsonView value={value} />
      ) : (
        <div className="flex flex-col gap-4">
          {media.map((each) => (
            <MediaView key={`${each.field} ${each.uri}`} media={each} />
          ))}
          {prose.map(({ name, text }) => (
            <section key={name}>
              {prose.length > 1 ? <h3 className="mb-1 text-[12px] text-faint">{name}</h3> : null}
              <LazyMarkdown text={text} />
            </section>
          ))}
          {facts.length > 0 ? (
            <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1">
              {facts.map(([name, text]) => (
                <div key={name} className="contents">
                  <dt className="text-faint">{name}</dt>
                  <dd className="figures">{text}</dd>
                </div>
              ))}
            </dl>
          ) : null}
          {tables.map(({ name, columns, rows }) => (
            <section key={name}>
              {name === '' ? null : <h3 className="mb-1 text-[12px] text-faint">{name}</h3>}
              <RowsView columns={columns} rows={rows} />
            </section>
          ))}
        </div>
      )}
    </div>
  )
}
