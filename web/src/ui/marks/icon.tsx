import { Drawing } from './drawing.tsx'
import { FILLED_ICONS, ICON_PATHS, type IconName } from './icon-paths.ts'

export type { IconName }

interface IconProps {
  name: IconName
  /** The accessible name, for an icon without text beside it. */
  label?: string
  className?: string
}

/** An icon; hidden from screen readers unless it has a label. */
export function Icon({ name, label, className }: IconProps) {
  return (
    <Drawing className={className ? `i ${className}` : 'i'} label={label}>
      {name in ICON_PATHS ? (
        <path d={ICON_PATHS[name as keyof typeof ICON_PATHS]} />
      ) : (
        <path {...FILLED_ICONS[name as keyof typeof FILLED_ICONS]} />
      )}
    </Drawing>
  )
}

/** The product logo: a slip of paper with a check mark. */
export function Logo({ label }: { label?: string }) {
  return (
    <Drawing className="i logo" label={label}>
      <path d="M2 1.500h8.500L14 5v9.500H2z" fill="currentColor" stroke="none" />
      <path d="M5 1.500v13" stroke="var(--desk)" strokeWidth="1" />
      <path d="m7 9 1.7 1.800L12 6.8" stroke="var(--desk)" strokeWidth="1.6" />
    </Drawing>
  )
}
