import { type ReactNode, useContext } from 'react'
import type { Task } from '../../../data/task-view.ts'
import { FieldConflict } from '../field-conflict.tsx'
import { BareContext } from './bare.ts'

interface Props {
  label: string
  /** The fields it shows: a conflict about one of them is told here. */
  fields?: readonly (keyof Task)[]
  children: ReactNode
}

/** One property: its name in the gutter, its value, and what others made of it meanwhile. */
export function Prop({ label, fields = [], children }: Props) {
  if (useContext(BareContext)) return children
  return (
    <div className="line prop">
      <dt className="gut" title={label}>
        {label}
      </dt>
      <dd>
        {children}
        <FieldConflict fields={fields} />
      </dd>
    </div>
  )
}
