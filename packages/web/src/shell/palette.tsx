// The palette: pages, resources found by name, and actions. Loaded when first opened.
import { useRouter } from '@tanstack/react-router'
import { Command } from 'cmdk'
import { AppWindow, KeyRound, Moon, Plus, SquarePlay, Sun, Workflow } from 'lucide-react'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { useList } from '../api/list.ts'
import { allPlaces } from './navigation.ts'
import { chooseTheme } from './theme.ts'

const itemLook =
  'flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 data-[selected=true]:bg-hover [&_svg]:size-4 [&_svg]:text-faint'

const found = (term: string) => ({ limit: 6, include_others: true, search: { term } })

const Group = ({ heading, children }: { heading: string; children: ReactNode }) => (
  <Command.Group
    heading={heading}
    className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-[11px] [&_[cmdk-group-heading]]:text-faint"
  >
    {children}
  </Command.Group>
)

const Found = ({ term, go }: { term: string; go: (work: () => unknown) => void }) => {
  const router = useRouter()
  const apps = useList('apps.list', found(term))
  const flows = useList('flows.list', found(term))
  return (
    <>
      {apps.items.length > 0 ? (
        <Group heading="Apps">
          {apps.items.map(({ id, namespace, name, title }) => (
            <Command.Item
              key={id}
              value={`app ${id} ${namespace}/${name} ${title}`}
              className={itemLook}
              onSelect={() => go(() => router.navigate({ to: '/apps/$namespace/$name', params: { namespace, name } }))}
            >
              <AppWindow aria-hidden />
              <span className="grow truncate">{title || name}</span>
              <span className="text-faint">
                {namespace}/{name}
              </span>
            </Command.Item>
          ))}
        </Group>
      ) : null}
      {flows.items.length > 0 ? (
        <Group heading="Flows">
          {flows.items.map(({ id, name, title }) => (
            <Command.Item
              key={id}
              value={`flow ${id} ${name} ${title}`}
              className={itemLook}
              onSelect={() => go(() => router.navigate({ to: '/flows/$id', params: { id } }))}
            >
              <Workflow aria-hidden />
              <span className="grow truncate">{title || name}</span>
            </Command.Item>
          ))}
        </Group>
      ) : null}
    </>
  )
}

const Palette = ({ open, onClose }: { open: boolean; onClose: () => void }) => {
  const router = useRouter()
  const [term, setTerm] = useState('')
  const asked = useDeferredValue(term.trim())
  const go = (work: () => unknown) => {
    onClose()
    setTerm('')
    void work()
  }
  return (
    <Command.Dialog
      open={open}
      onOpenChange={(next) => (next ? undefined : onClose())}
      label="Search and commands"
      overlayClassName="fixed inset-0 z-40 bg-black/40"
      contentClassName="fixed top-[14vh] left-1/2 z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border bg-raised shadow-xl"
      loop
    >
      <Command.Input
        value={term}
        onValueChange={setTerm}
        placeholder="Search apps and flows, go to a page, run a command"
        className="h-11 w-full border-b bg-transparent px-4 text-[14px] outline-none placeholder:text-faint"
      />
      <Command.List className="max-h-[50vh] overflow-y-auto p-1.5">
        <Command.Empty className="px-3 py-6 text-center text-soft">Nothing found</Command.Empty>
        {asked === '' ? null : <Found term={asked} go={go} />}
        <Group heading="Pages">
          {allPlaces.map(({ to, label, icon: Icon, key }) => (
            <Command.Item
              key={to}
              value={`go to ${label}`}
              className={itemLook}
              onSelect={() => go(() => router.navigate({ to }))}
            >
              <Icon aria-hidden />
              <span className="grow">{label}</span>
              <kbd className="font-sans text-[11px] text-faint">g {key}</kbd>
            </Command.Item>
          ))}
        </Group>
        <Group heading="Commands">
          <Command.Item
            className={itemLook}
            onSelect={() => go(() => router.navigate({ to: '/flows', search: { create: true } }))}
          >
            <Plus aria-hidden /> New flow
          </Command.Item>
          <Command.Item className={itemLook} onSelect={() => go(() => router.navigate({ to: '/triggers/new' }))}>
            <Plus aria-hidden /> New trigger
          </Command.Item>
          <Command.Item className={itemLook} onSelect={() => go(() => router.navigate({ to: '/settings/keys' }))}>
            <KeyRound aria-hidden /> Create an API key
          </Command.Item>
          <Command.Item
            className={itemLook}
            onSelect={() => go(() => router.navigate({ to: '/runs', search: { status: 'failed' } }))}
          >
            <SquarePlay aria-hidden /> Failed runs
          </Command.Item>
          <Command.Item className={itemLook} onSelect={() => go(() => chooseTheme('light'))}>
            <Sun aria-hidden /> Light theme
          </Command.Item>
          <Command.Item className={itemLook} onSelect={() => go(() => chooseTheme('dark'))}>
            <Moon aria-hidden /> Dark theme
          </Command.Item>
        </Group>
      </Command.List>
    </Command.Dialog>
  )
}

export default Palette
