// What a surface shows besides words and fields: pictures, icons and artifacts. Only what this server has is loaded; the
// address of anything else is named.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { ArtifactFrame, useArtifactAddress } from '../artifacts/artifact-frame.tsx'
import { iconAtHand } from '../secrets/monogram.ts'
import { Skeleton } from '../ui/page.tsx'
import { artifactNamed, type Component, textOf } from './surface.ts'
import { useFilled } from './widget-context.ts'
import { NamedIcon } from './widget-icons.tsx'

const Named = ({ what, name }: { what: string; name: string }) => (
  <code className="break-all font-mono text-[12px] text-soft">{`${what} ${name}`}</code>
)

export const Picture = ({ component: { props } }: { component: Component }) => {
  const { surface } = useFilled()
  const address = textOf(props.url ?? props.src, surface.data)
  const alt = textOf(props.description ?? props.alt ?? props.altText, surface.data)
  const shown = iconAtHand(address, location.origin)
  if (shown === null) return <Named what="image" name={[alt, address].filter((each) => each !== '').join(' ')} />
  return <img src={shown} alt={alt || 'Picture'} className="max-h-80 max-w-full self-start rounded-md border" />
}

export const Icon = ({ component: { props } }: { component: Component }) => {
  const { surface } = useFilled()
  return <NamedIcon name={textOf(props.name ?? props.icon, surface.data)} />
}

const Shown = ({ id, version, title }: { id: string; version: string; title: string }) => {
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

export const ArtifactPart = ({ component: { props } }: { component: Component }) => {
  const { surface } = useFilled()
  const named = artifactNamed(props, surface.data)
  const byId = useQuery({
    ...read('artifacts.get', { path: { id: named?.id ?? '' } }),
    enabled: named?.id !== undefined,
    retry: false,
  })
  const byRef = useQuery({
    ...read('artifacts.get_by_ref', { path: named?.ref ?? { namespace: '', name: '' } }),
    enabled: named?.ref !== undefined,
    retry: false,
  })
  const { data, isLoading } = named?.ref === undefined ? byId : byRef
  const words = textOf(props.title ?? props.name, surface.data)
  if (isLoading) return <Skeleton className="h-80" />
  if (!data) return <Named what="artifact" name={words || (named?.text ?? '')} />
  return <Shown id={data.id} version={data.version_id} title={data.title || data.name} />
}
