// Guarantees: a busy button cannot be pressed again, even when it is otherwise enabled.
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { Button } from './button.tsx'

const isDisabled = (props: { busy?: boolean; disabled?: boolean }): boolean =>
  renderToStaticMarkup(Button({ ...props, children: 'Pay' })).includes('disabled=""')

it.each([
  [{}, false],
  [{ disabled: true }, true],
  [{ busy: true }, true],
  [{ busy: true, disabled: false }, true],
])('%o', (props, expected) => {
  expect(isDisabled(props)).toBe(expected)
})
