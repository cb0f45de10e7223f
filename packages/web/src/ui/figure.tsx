// A figure with its label and a note.
export const Figure = ({ label, value, note }: { label: string; value: string; note?: string }) => (
  // biome-ignore lint/a11y/useSemanticElements: figures are no fields of a form
  <div role="group" aria-label={label} className="min-w-0 rounded-lg border bg-surface px-3 py-2.5">
    <p className="truncate text-[12px] text-faint">{label}</p>
    <p className="figures font-semibold text-[18px] leading-7">{value}</p>
    <p className="truncate text-[12px] text-faint">{note ?? '\u00a0'}</p>
  </div>
)
