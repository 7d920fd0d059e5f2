import type { ReactNode } from 'react'

interface Props {
  /** What it says to who cannot see it; without it, it is silent. */
  label?: string | undefined
  className: string
  size?: 14 | 16
  children: ReactNode
}

/** A small drawing that speaks, or is silent beside its words. */
export function Drawing({ label, className, size = 16, children }: Props) {
  return (
    <svg
      className={className}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      aria-hidden={label === undefined || undefined}
    >
      {children}
    </svg>
  )
}
