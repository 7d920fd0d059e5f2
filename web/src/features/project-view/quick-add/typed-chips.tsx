import { getValueKey, type TypedValue } from '#lib/typed-sentence.ts'
import { formatDuration } from '../../../lib/dates/duration.ts'
import { formatDay } from '../../../lib/dates/plain-date.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { quickAddMessages } from '../../../messages/tasks/quick-add.ts'
import { Icon } from '../../../ui/marks/icon.tsx'

interface TypedChipsProps {
  chips: readonly TypedValue[]
  onRemove: (chip: TypedValue) => void
}

/** The values of a new task, each with a button that makes its words text again. */
export const TypedChips = ({ chips, onRemove }: TypedChipsProps) =>
  chips.map((chip) => (
    <RemovableChip
      key={getValueKey(chip)}
      kind={quickAddMessages.chips[chip.kind]}
      name={formatChip(chip)}
      onRemove={() => onRemove(chip)}
    />
  ))

interface RemovableChipProps {
  kind: string
  name: string
  onRemove: () => void
}

/** A value with its kind and a button that removes it. */
export const RemovableChip = ({ kind, name, onRemove }: RemovableChipProps) => (
  <span className="chip">
    <i>{kind}</i>
    {name}
    <button
      type="button"
      aria-label={quickAddMessages.takeOffChip(kind, name)}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onRemove}
    >
      <Icon name="x" />
    </button>
  </span>
)

/** The value of a chip as people read it. */
export function formatChip(chip: TypedValue): string {
  switch (chip.kind) {
    case 'due': {
      const length = chip.seconds && `(${formatDuration(chip.seconds)})`
      const day = [formatDay(chip.date), chip.time, length].filter(Boolean).join(' ')
      return /^\w+$/.test(chip.typed) ? `${chip.typed.toLowerCase()}, ${day}` : day
    }
    case 'repeat':
      return [chip.typed, formatDay(chip.date), chip.time].filter(Boolean).join(', ')
    case 'estimate':
      return formatDuration(chip.seconds)
    case 'priority':
      return projectViewMessages.priorities[chip.priority]
    case 'status':
      return chip.label
    default:
      return chip.name
  }
}
