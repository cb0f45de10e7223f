// Blocked network addresses.
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { useList } from '../api/list.ts'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Empty, Panel, ProblemNote } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Ago } from '../ui/time.tsx'
import { useSort } from '../ui/use-sort.ts'
import { StaffFrame } from './staff-frame.tsx'

const touches = ['ip_blocks']

type Block = ReturnType<typeof useList<'ip_blocks.list'>>['items'][number]

const columns: Column<Block>[] = [
  {
    id: 'network',
    header: 'Address or network',
    cell: ({ network }) => <code className="font-mono text-[12px]">{network}</code>,
  },
  { id: 'reason', header: 'Reason', sort: 'reason', width: '2fr', cell: ({ reason }) => reason },
  {
    id: 'time',
    header: 'Since',
    sort: 'created_at',
    width: '90px',
    wide: true,
    cell: ({ created_at }) => <Ago time={created_at} />,
  },
  {
    id: 'lift',
    header: '',
    width: '40px',
    end: true,
    cell: ({ id, network }) => <Lift id={id} network={network} />,
  },
]

const Lift = ({ id, network }: { id: string; network: string }) => {
  const lift = useAct({ work: () => call('ip_blocks.delete', { path: { id } }), touches, quiet: true })
  return (
    <ConfirmButton
      label={`Unblock ${network}`}
      icon={<Trash2 aria-hidden />}
      title={`Unblock ${network}?`}
      confirm="Unblock"
      act={() => lift.mutateAsync()}
    >
      Applies to all servers immediately.
    </ConfirmButton>
  )
}

const Add = () => {
  const [network, setNetwork] = useState('')
  const [reason, setReason] = useState('')
  const add = useAct({
    work: () => call('ip_blocks.create', { body: { network: network.trim(), reason } }),
    touches,
    done: ({ network }) => `${network} is blocked`,
    after: () => {
      setNetwork('')
      setReason('')
    },
    quiet: true,
  })
  return (
    <Panel title="Block address">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          add.mutate()
        }}
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Address or network"
            required
            placeholder="203.0.113.0/24"
            autoComplete="off"
            value={network}
            onChange={(event) => setNetwork(event.target.value)}
          />
          <TextField
            label="Reason"
            value={reason}
            maxLength={500}
            onChange={(event) => setReason(event.target.value)}
          />
        </div>
        {add.error ? <ProblemNote error={add.error} /> : null}
        <Button type="submit" busy={add.isPending} className="self-start">
          Block
        </Button>
      </form>
    </Panel>
  )
}

const AddressList = () => {
  const sorting = useSort('created_at', 'desc')
  const list = useList('ip_blocks.list', { sort: [sorting.sort] })
  return (
    <div className="flex flex-col gap-4">
      <Add />
      <Panel flush>
        <Table
          label="Blocked addresses"
          list={list}
          columns={columns}
          rowKey={({ id }) => id}
          {...sorting}
          empty={<Empty title="No blocked addresses">Requests from a blocked address get status 403.</Empty>}
        />
      </Panel>
    </div>
  )
}

const AddressesPage = () => <StaffFrame title="Blocked addresses">{() => <AddressList />}</StaffFrame>

export default AddressesPage
