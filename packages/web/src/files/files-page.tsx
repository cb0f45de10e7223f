// Files of the workspace: uploaded here, given to runs or made by them; with a preview where a browser can show one.
import type { File as StoredFile } from '@millrace/contract/files'
import { Download, FileText, Trash2, Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { uploadFile } from '../forms/upload.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, Dialog } from '../ui/dialog.tsx'
import { notify, notifyProblem } from '../ui/notify.ts'
import { Empty, Page, Panel } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { sizeText } from '../ui/time-text.ts'
import { useSort } from '../ui/use-sort.ts'
import { isText, TextPreview } from './text-preview.tsx'

const Preview = ({ file }: { file: StoredFile }) => {
  const { content_type: type, uri, filename } = file
  if (type.startsWith('image/')) return <img src={uri} alt={filename} className="max-h-[60vh] rounded border" />
  // biome-ignore lint/a11y/useMediaCaption: what people upload has no captions
  if (type.startsWith('audio/')) return <audio controls src={uri} className="w-full" />
  // biome-ignore lint/a11y/useMediaCaption: what people upload has no captions
  if (type.startsWith('video/')) return <video controls src={uri} className="max-h-[60vh] rounded border" />
  if (type === 'application/pdf')
    return <iframe src={uri} title={filename} className="h-[60vh] w-full rounded border" />
  if (isText(type)) return <TextPreview uri={uri} size={file.size} name={filename} />
  return <p className="text-soft">A browser cannot show {type || 'this kind of file'}; download it instead.</p>
}

const UploadButton = ({ onDone }: { onDone: () => void }) => {
  const picker = useRef<HTMLInputElement>(null)
  const [share, setShare] = useState<number | null>(null)
  const take = async (chosen: FileList | null) => {
    try {
      for (const file of chosen ?? []) {
        setShare(0)
        await uploadFile(file, setShare)
        notify(`${file.name} is uploaded`)
      }
      onDone()
    } catch (error) {
      notifyProblem(error)
    } finally {
      setShare(null)
    }
  }
  return (
    <>
      {share === null ? null : (
        <progress aria-label="Upload" value={share} max={1} className="h-1.5 w-32 accent-accent" />
      )}
      <Button look="primary" busy={share !== null} onClick={() => picker.current?.click()}>
        <Upload aria-hidden /> Upload
      </Button>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        aria-label="Files to upload"
        onChange={(event) => void take(event.target.files)}
      />
    </>
  )
}

const FilesPage = () => {
  const sorting = useSort('created_at', 'desc')
  const list = useList('files.list', { sort: [sorting.sort] })
  const [opened, setOpened] = useState<StoredFile | null>(null)
  const remove = useAct({
    work: (id: string) => call('files.delete', { path: { id } }),
    touches: ['files'],
    done: 'Deleted',
  })
  const columns: Column<StoredFile>[] = [
    {
      id: 'name',
      header: 'Name',
      sort: 'filename',
      width: '3fr',
      cell: ({ filename }) => <span className="font-medium">{filename}</span>,
    },
    {
      id: 'type',
      header: 'Type',
      sort: 'content_type',
      wide: true,
      cell: ({ content_type }) => <span className="text-soft">{content_type}</span>,
    },
    {
      id: 'size',
      header: 'Size',
      sort: 'size',
      width: '80px',
      end: true,
      cell: ({ size }) => <span className="figures">{sizeText(size)}</span>,
    },
    {
      id: 'time',
      header: 'Added',
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
            aria-label={`Download ${file.filename}`}
            className="inline-flex size-8 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
          >
            <Download className="size-4" aria-hidden />
          </a>
          <ConfirmButton
            label={`Delete ${file.filename}`}
            icon={<Trash2 aria-hidden />}
            title={`Delete ${file.filename}?`}
            confirm="Delete"
            act={() => remove.mutateAsync(file.id)}
          >
            Runs that point to it keep the address, which then leads nowhere.
          </ConfirmButton>
        </span>
      ),
    },
  ]
  const upload = <UploadButton onDone={list.refetch} />
  return (
    <Page title="Files" note="What was uploaded, and what runs have made." actions={upload}>
      <Panel flush>
        <Table
          label="Files"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          onOpen={setOpened}
          empty={
            <Empty icon={FileText} title="No files yet" action={upload}>
              Upload one here, or drop it into the form of an app.
            </Empty>
          }
        />
      </Panel>
      <Dialog open={opened !== null} onClose={() => setOpened(null)} title={opened?.filename ?? ''} wide>
        {opened ? <Preview file={opened} /> : null}
      </Dialog>
    </Page>
  )
}

export default FilesPage
