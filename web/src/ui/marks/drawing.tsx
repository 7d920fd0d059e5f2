import type { ReactNode } from 'react'

interface DrawingProps {
  /** The accessible name; without one the drawing is hidden from screen readers. */
  label?: string | undefined
  className: string
  size?: 14 | 16
  children: ReactNode
}

/** A small SVG drawing, either labelled or hidden from screen readers beside its text. */
export function Drawing({ label, className, size = 16, children }: DrawingProps) {
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
