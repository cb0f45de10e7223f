// Files of the workspace: uploads and output files of runs, with a preview where the browser supports it.
import type { File as StoredFile } from '@millrace/contract/files'
import { useSearch } from '@tanstack/react-router'
import { Download, FileText, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { uploadFile } from '../forms/upload.ts'
import { visibilityStrings } from '../shell/visibility.ts'
import { VisibilitySelect } from '../shell/visibility-select.tsx'
import { useAct } from '../ui/act.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { ChoiceChips } from '../ui/choice-chips.tsx'
import { Id } from '../ui/copy.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { notify, notifyProblem } from '../ui/notify.ts'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { uiStrings } from '../ui/strings.ts'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { sizeText } from '../ui/time-text.ts'
import { useChangeAddress, useTerm } from '../ui/use-list-address.ts'
import { useSort } from '../ui/use-sort.ts'
import { fileKinds, fileOrigins, filesAddress, filesRequest } from './address.ts'
import { strings } from './strings.ts'
import { isText, TextPreview } from './text-preview.tsx'

const Preview = ({ file }: { file: StoredFile }) => {
  const { content_type: type, uri, filename } = file
  if (type.startsWith('image/')) return <img src={uri} alt={filename} className="max-h-[60vh] rounded border" />
  // biome-ignore lint/a11y/useMediaCaption: uploaded files have no captions
  if (type.startsWith('audio/')) return <audio controls src={uri} className="w-full" />
  // biome-ignore lint/a11y/useMediaCaption: uploaded files have no captions
  if (type.startsWith('video/')) return <video controls src={uri} className="max-h-[60vh] rounded border" />
  if (type === 'application/pdf')
    return <iframe src={uri} title={filename} className="h-[60vh] w-full rounded border" />
  if (isText(type)) return <TextPreview uri={uri} size={file.size} name={filename} />
  return <p className="text-soft">{strings.noPreview(type)}</p>
}

const UploadButton = ({ onDone }: { onDone: () => void }) => {
  const picker = useRef<HTMLInputElement>(null)
  const [sending, setSending] = useState<{ name: string; share: number } | null>(null)
  const take = async (chosen: FileList | null) => {
    try {
      for (const file of chosen ?? []) {
        const { name } = file
        setSending({ name, share: 0 })
        await uploadFile(file, (share) => setSending({ name, share }))
        notify(strings.uploaded(name))
      }
    } catch (error) {
      notifyProblem(error)
    } finally {
      setSending(null)
      // Files before a rejected one are uploaded.
      onDone()
    }
  }
  return (
    <>
      {sending === null ? null : (
        <span className="flex items-center gap-2 text-soft">
          <span className="max-w-48 truncate">{sending.name}</span>
          <progress
            aria-label={strings.uploading(sending.name)}
            value={sending.share}
            max={1}
            className="h-1.5 w-32 accent-accent"
          />
        </span>
      )}
      <Button look="primary" busy={sending !== null} onClick={() => picker.current?.click()}>
        <Upload aria-hidden /> {strings.upload}
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label={strings.filesToUpload}
        onChange={async (event) => {
          const { target } = event
          await take(target.files)
          // Allows the same file to be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}

const Filters = ({ address }: { address: ReturnType<typeof filesAddress> }) => {
  const change = useChangeAddress()
  const [term, setTerm] = useTerm(address.q)
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1.5">
      <SearchField label={strings.search} className="sm:max-w-64" value={term} onChange={setTerm} />
      <ChoiceChips
        label={strings.kind}
        choices={fileKinds}
        chosen={address.kind}
        onChoose={(next) => void change({ kind: next })}
      />
      <ChoiceChips
        label={strings.origin}
        choices={fileOrigins}
        chosen={address.from}
        onChoose={(next) => void change({ from: next })}
      />
    </div>
  )
}

const FilesPage = () => {
  const address = filesAddress(useSearch({ from: '/files' }))
  const sorting = useSort('created_at', 'desc')
  const list = useList('files.list', { sort: [sorting.sort], ...filesRequest(address) })
  const [opened, setOpened] = useState<StoredFile | null>(null)
  const remove = useAct({
    work: (id: string) => call('files.delete', { path: { id } }),
    touches: ['files'],
    done: strings.deleted,
  })
  const columns: Column<StoredFile>[] = [
    {
      id: 'name',
      header: strings.columns.name,
      sort: 'filename',
      width: '3fr',
      cell: ({ filename }) => <span className="font-medium">{filename}</span>,
    },
    {
      id: 'type',
      header: strings.columns.type,
      sort: 'content_type',
      wide: true,
      cell: ({ content_type }) => <span className="text-soft">{content_type}</span>,
    },
    {
      id: 'size',
      header: strings.columns.size,
      sort: 'size',
      width: '80px',
      end: true,
      cell: ({ size }) => <span className="figures">{sizeText(size)}</span>,
    },
    {
      id: 'time',
      header: strings.columns.created,
      sort: 'created_at',
      width: '100px',
      end: true,
      wide: true,
      cell: ({ created_at }) => <Ago time={created_at} />,
    },
    {
      id: 'act',
      header: '',
      width: '84px',
      end: true,
      cell: (file) => (
        <span className="inline-flex">
          <a
            href={file.uri}
            download={file.filename}
            aria-label={strings.download(file.filename)}
            className="inline-flex size-8 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
          >
            <Download className="size-4" aria-hidden />
          </a>
          <ConfirmButton
            label={strings.delete(file.filename)}
            icon={<Trash2 aria-hidden />}
            title={strings.deleteTitle(file.filename)}
            confirm={strings.deleteConfirm}
            act={() => remove.mutateAsync(file.id)}
          >
            {strings.deleteText}
          </ConfirmButton>
        </span>
      ),
    },
  ]
  const upload = <UploadButton onDone={list.refetch} />
  return (
    <Page title={strings.title} note={strings.note} actions={upload}>
      <Filters address={address} />
      <Panel flush>
        <Table
          label={strings.title}
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={setOpened}
          empty={
            Object.keys(address).length > 0 ? (
              <Empty
                icon={FileText}
                title={uiStrings.noResults}
                action={<ButtonLink to="/files">{strings.showAll}</ButtonLink>}
              />
            ) : (
              <Empty icon={FileText} title={strings.emptyTitle} action={upload}>
                {strings.emptyText}
              </Empty>
            )
          }
        />
      </Panel>
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title={opened?.filename ?? ''} wide>
        {opened ? (
          <>
            <p className="mb-3 flex flex-wrap items-center gap-x-3 text-soft">
              <Id id={opened.id} />
              {opened.content_type}
              <span className="figures">{sizeText(opened.size)}</span>
              <Ago time={opened.created_at} />
            </p>
            <div className="mb-3 max-w-xs">
              <Field label={visibilityStrings.label} help={strings.visibilityHelp}>
                {(ids) => (
                  <VisibilitySelect
                    row={opened}
                    touches={['files']}
                    save={(visibility) =>
                      call('files.set_visibility', { path: { id: opened.id }, body: { visibility } })
                    }
                    ids={ids}
                  />
                )}
              </Field>
            </div>
            <Preview file={opened} />
          </>
        ) : null}
      </Dialog>
    </Page>
  )
}

export default FilesPage
