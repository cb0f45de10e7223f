// Buttons and links that look like them.
import { createLink, type LinkProps } from '@tanstack/react-router'
import { LoaderCircle } from 'lucide-react'
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react'
import { classes } from './classes.ts'

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

const looks: Record<Look, string> = {
  primary: 'bg-accent text-on-accent border-accent hover:opacity-90',
  plain: 'bg-surface border-line-strong hover:bg-hover',
  quiet: 'border-transparent text-soft hover:bg-hover hover:text-ink',
  danger: 'bg-surface border-line-strong text-bad hover:bg-bad-soft',
}

const shape =
  'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 whitespace-nowrap rounded-md border font-medium transition-colors disabled:pointer-events-none disabled:opacity-50 [&_svg]:size-4'

const square = 'w-8'
const worded = 'px-3'

export type ButtonProps = ButtonHTMLAttributes<HTMLButtonElement> & {
  look?: Look
  busy?: boolean
  /** The accessible name of an icon button. */
  label?: string
  children: ReactNode
}

export const Button = ({
  look = 'plain',
  busy = false,
  disabled,
  label,
  className,
  children,
  ...rest
}: ButtonProps) => (
  <button
    type="button"
    aria-label={label}
    title={label}
    aria-busy={busy || undefined}
    disabled={busy || disabled}
    {...rest}
    className={classes(shape, looks[look], label === undefined ? worded : square, className)}
  >
    {busy ? <LoaderCircle className="animate-spin" aria-hidden /> : null}
    {busy && label !== undefined ? null : children}
  </button>
)

const Anchor = ({ look = 'plain', className, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { look?: Look }) => (
  <a {...rest} className={classes(shape, worded, looks[look], className)} />
)

export const ButtonLink = createLink(Anchor)
export type { LinkProps }
