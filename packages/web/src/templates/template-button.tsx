// Opens the templates.
import { LayoutTemplate } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { strings } from './strings.ts'

const TemplateDialog = lazy(() => import('./template-dialog.tsx'))

export const TemplateButton = () => {
  const [state, setState] = useState<'never' | 'open' | 'closed'>('never')
  return (
    <>
      <Button onClick={() => setState('open')}>
        <LayoutTemplate aria-hidden /> {strings.open}
      </Button>
      {state === 'never' ? null : (
        <Suspense fallback={null}>
          <TemplateDialog open={state === 'open'} onClose={() => setState('closed')} />
        </Suspense>
      )}
    </>
  )
}
