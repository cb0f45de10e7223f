// A QR code, drawn in the page: its content never leaves the browser. Dark on light in both themes, as scanners expect.
import { useMemo } from 'react'
import { encode } from 'uqr'

const QrCode = ({ text, label }: { text: string; label: string }) => {
  const { size, data } = useMemo(() => encode(text, { border: 2 }), [text])
  const path = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return (
    <svg viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} className="size-44 rounded bg-white">
      <path d={path} fill="black" />
    </svg>
  )
}

export default QrCode
