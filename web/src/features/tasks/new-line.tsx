import { m } from '../../messages/tasks.ts'
import { type Place, useAdding } from './adding.ts'
import { Early } from './early.tsx'
import { addField } from './parts.ts'

/** The line in which a task is typed, loaded when it is wanted. */
export function NewLine({ label, place }: { label: string; place: Place }) {
  const { end } = useAdding()
  return (
    <Early
      part={addField}
      props={{ label, place }}
      label={label}
      placeholder={m.newHint}
      onEscape={end}
    />
  )
}
