// The URL that an OAuth app at a service must allow.
import { CopyButton } from '../ui/copy.tsx'
import { strings } from './strings.ts'

export const RedirectAddress = ({ provider }: { provider: string }) => {
  const address = `${location.origin}/settings/secrets/oauth/${provider}`
  return (
    <div className="flex flex-col gap-1">
      <p className="font-medium">{strings.redirectAddress}</p>
      <div className="flex items-center gap-2 rounded-md border bg-canvas p-2">
        <code className="min-w-0 grow break-all font-mono text-[12px]">{address}</code>
        <CopyButton text={address} label={strings.copyRedirect} />
      </div>
      <p className="text-[12px] text-faint">{strings.redirectHelp}</p>
    </div>
  )
}
