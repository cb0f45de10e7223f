// Two-factor authentication with a time-based code (TOTP).
import { lazy, Suspense, useState } from 'react'
import { call } from '../api/call.ts'
import { useSession } from '../shell/session.tsx'
import { useAct } from '../ui/act.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { TextField } from '../ui/field.tsx'
import { Panel, ProblemNote, Skeleton } from '../ui/page.tsx'
import { Badge } from '../ui/status.tsx'
import { uiStrings } from '../ui/strings.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { strings } from './strings.ts'

const QrCode = lazy(() => import('../ui/qr-code.tsx'))

const CodeForm = ({
  label,
  act,
  error,
  busy,
}: {
  label: string
  act: (code: string) => void
  error: unknown
  busy: boolean
}) => {
  const [code, setCode] = useState('')
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        act(code)
      }}
    >
      <TextField
        label={strings.authenticator.code}
        autoComplete="one-time-code"
        maxLength={32}
        required
        value={code}
        onChange={(event) => setCode(event.target.value)}
      />
      {error ? <ProblemNote error={error} /> : null}
      <Button type="submit" busy={busy} className="self-start">
        {label}
      </Button>
    </form>
  )
}

export const Authenticator = () => {
  const { me } = useSession()
  const on = me.user.totp_enabled
  const [codes, setCodes] = useState<readonly string[]>()
  const enroll = useAct({ work: () => call('auth.totp.enroll') })
  const confirm = useAct({
    work: (code: string) => call('auth.totp.confirm', { body: { code } }),
    touches: ['me'],
    done: strings.authenticator.enabled,
    after: ({ recovery_codes }) => {
      enroll.reset()
      setCodes(recovery_codes)
    },
    quiet: true,
  })
  const renew = useAct({
    work: (code: string) => call('auth.totp.recovery_codes', { body: { code } }),
    after: ({ recovery_codes }) => setCodes(recovery_codes),
    quiet: true,
  })
  const remove = useAct({
    work: (code: string) => call('auth.totp.remove', { body: { code } }),
    touches: ['me'],
    done: strings.authenticator.disabled,
    quiet: true,
  })
  return (
    <Panel
      title={strings.authenticator.title}
      actions={on ? <Badge tone="ok">{uiStrings.enabled}</Badge> : <Badge>{uiStrings.disabled}</Badge>}
    >
      {on && codes ? <RecoveryCodes codes={codes} onDone={() => setCodes(undefined)} /> : null}
      {on && !codes ? (
        <div className="flex flex-col gap-4">
          <p className="text-soft">{strings.authenticator.useCode}</p>
          <CodeForm
            label={strings.authenticator.newCodes}
            act={renew.mutate}
            error={renew.error}
            busy={renew.isPending}
          />
          <CodeForm
            label={strings.authenticator.disable}
            act={remove.mutate}
            error={remove.error}
            busy={remove.isPending}
          />
        </div>
      ) : null}
      {!on && !enroll.data ? (
        <div className="flex flex-col items-start gap-3">
          <p className="text-soft">{strings.authenticator.text}</p>
          <Button busy={enroll.isPending} onClick={() => enroll.mutate()}>
            {strings.authenticator.setUp}
          </Button>
        </div>
      ) : null}
      {!on && enroll.data ? (
        <div className="flex flex-col gap-3">
          <p className="text-soft">{strings.authenticator.addKey}</p>
          <Suspense fallback={<Skeleton className="size-44" />}>
            <QrCode text={enroll.data.otpauth_uri} label={strings.authenticator.qrCode} />
          </Suspense>
          <div className="flex items-center gap-2 rounded-md border bg-canvas p-2">
            <code className="min-w-0 grow break-all font-mono">{enroll.data.secret}</code>
            <CopyButton text={enroll.data.otpauth_uri} label={strings.authenticator.copyUri} />
          </div>
          <CodeForm
            label={strings.authenticator.confirm}
            act={confirm.mutate}
            error={confirm.error}
            busy={confirm.isPending}
          />
        </div>
      ) : null}
    </Panel>
  )
}
