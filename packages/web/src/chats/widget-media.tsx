// Images, icons and artifacts in a widget. Only stored files of this server are loaded; the URL of other images is shown as text.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { ArtifactFrame, useArtifactAddress } from '../artifacts/artifact-frame.tsx'
import { pictureAddress } from '../files/stored-file.ts'
import { Skeleton } from '../ui/page.tsx'
import { strings } from './strings.ts'
import { artifactRefOf, type Component, textOf } from './surface.ts'
import { useWidget } from './widget-context.ts'
import { NamedIcon } from './widget-icons.tsx'

const TextPlaceholder = ({ what, name }: { what: string; name: string }) => (
  <code className="break-all font-mono text-[12px] text-soft">{`${what} ${name}`}</code>
)

export const Picture = ({ component: { props } }: { component: Component }) => {
  const { surface } = useWidget()
  const address = textOf(props.url ?? props.src, surface.data)
  const alt = textOf(props.description ?? props.alt ?? props.altText, surface.data)
  const shown = pictureAddress(address, location.origin)
  if (shown === null)
    return <TextPlaceholder what={strings.widget.image} name={[alt, address].filter((each) => each !== '').join(' ')} />
  return (
    <img src={shown} alt={alt || strings.widget.picture} className="max-h-80 max-w-full self-start rounded-md border" />
  )
}

export const Icon = ({ component: { props } }: { component: Component }) => {
  const { surface } = useWidget()
  return <NamedIcon name={textOf(props.name ?? props.icon, surface.data)} />
}

const ArtifactPreview = ({ id, version, title }: { id: string; version: string; title: string }) => {
  const address = useArtifactAddress(id, version)
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <Link to="/artifacts/$id" params={{ id }} className="text-accent hover:underline">
        {title}
      </Link>
      <ArtifactFrame address={address} title={title} className="h-80" />
    </div>
  )
}

export const ArtifactComponent = ({ component: { props } }: { component: Component }) => {
  const { surface } = useWidget()
  const ref = artifactRefOf(props, surface.data)
  const byId = useQuery({
    ...read('artifacts.get', { path: { id: ref?.id ?? '' } }),
    enabled: ref?.id !== undefined,
    retry: false,
  })
  const byRef = useQuery({
    ...read('artifacts.get_by_ref', { path: ref?.ref ?? { namespace: '', name: '' } }),
    enabled: ref?.ref !== undefined,
    retry: false,
  })
  const { data, isLoading } = ref?.ref === undefined ? byId : byRef
  const title = textOf(props.title ?? props.name, surface.data)
  if (isLoading) return <Skeleton className="h-80" />
  if (!data) return <TextPlaceholder what={strings.widget.artifact} name={title || (ref?.text ?? '')} />
  return <ArtifactPreview id={data.id} version={data.version_id} title={data.title || data.name} />
}
