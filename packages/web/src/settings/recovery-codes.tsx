// Recovery codes, shown once.
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { strings } from './strings.ts'

const words = strings.authenticator

export const RecoveryCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => (
  <div className="flex flex-col items-start gap-3">
    <p className="text-soft">{words.saveCodes}</p>
    <div className="flex w-full items-start gap-2 rounded-md border bg-canvas p-3">
      <ul aria-label={words.recoveryCodes} className="grid grow grid-cols-1 gap-x-6 gap-y-1 font-mono sm:grid-cols-2">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <CopyButton text={codes.join('\n')} label={words.copyCodes} />
    </div>
    <Button look="primary" onClick={onDone}>
      {words.codesSaved}
    </Button>
  </div>
)
