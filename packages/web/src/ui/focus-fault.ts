/** Scrolls to the first invalid input inside the element and focuses it; false when there is none. */
export const focusFirstFault = (form: Element): boolean => {
  const [invalid] = form.querySelectorAll<HTMLElement>('[aria-invalid="true"]')
  if (!invalid) return false
  for (let folded = invalid.closest('details'); folded; folded = folded.parentElement?.closest('details') ?? null)
    folded.open = true
  invalid.scrollIntoView({ block: 'center' })
  invalid.focus({ preventScroll: true })
  return true
}
