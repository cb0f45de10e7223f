// One figure with what it is, and a note below it.
export const Figure = ({ label, value, note }: { label: string; value: string; note?: string }) => (
  <div className="min-w-0 rounded-lg border bg-surface px-3 py-2.5">
    <p className="truncate text-[12px] text-faint">{label}</p>
    <p className="figures font-semibold text-[18px] leading-7">{value}</p>
    <p className="truncate text-[12px] text-faint">{note ?? '\u00a0'}</p>
  </div>
)
