import { type ReactNode, useContext } from 'react'
import type { Task } from '../../../data/tasks/task-patch.ts'
import { FieldConflict } from '../conflicts/field-conflict.tsx'
import { UnsetPropertiesContext } from './unset-properties.ts'

interface PropertyRowProps {
  label: string
  /** The task fields of the property, to show their conflicts. */
  fields?: readonly (keyof Task)[]
  /** Whether the task has no value of it: on a phone it is then shown only where one is added. */
  empty?: boolean
  children: ReactNode
}

/**
 * The row of a property: its name in the gutter, its value, and conflicts with other users. In the
 * line of unset properties it has conflicts as well: the viewer may have cleared what others changed.
 */
export function PropertyRow({ label, fields = [], empty, children }: PropertyRowProps) {
  const value = (
    <>
      {children}
      <FieldConflict fields={fields} />
    </>
  )
  if (useContext(UnsetPropertiesContext)) return value
  return (
    <div className="line prop" data-empty={empty || undefined}>
      <dt className="gut" title={label}>
        {label}
      </dt>
      <dd>{value}</dd>
    </div>
  )
}
