import { Drawing } from './drawing.tsx'
import { FILLED, type IconName, PATHS } from './icon-paths.ts'

export type { IconName }

interface Props {
  name: IconName
  /** Says what it means where no text beside it does. */
  label?: string
  className?: string
}

/** An icon of the one stroke; silent unless it has a label. */
export function Icon({ name, label, className }: Props) {
  return (
    <Drawing className={className ? `i ${className}` : 'i'} label={label}>
      {name in PATHS ? (
        <path d={PATHS[name as keyof typeof PATHS]} />
      ) : (
        <path {...FILLED[name as keyof typeof FILLED]} />
      )}
    </Drawing>
  )
}

/** The slip with its ticked corner. */
export function Logo({ label }: { label?: string }) {
  return (
    <Drawing className="i logo" label={label}>
      <path d="M2 1.500h8.500L14 5v9.500H2z" fill="currentColor" stroke="none" />
      <path d="M5 1.500v13" stroke="var(--desk)" strokeWidth="1" />
      <path d="m7 9 1.7 1.800L12 6.8" stroke="var(--desk)" strokeWidth="1.6" />
    </Drawing>
  )
}
