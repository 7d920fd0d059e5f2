import './bulk-actions.css'
import { useEffect } from 'react'
import { formatNumber } from '../../../messages/plural.ts'
import { bulkChangeMessages } from '../../../messages/tasks/bulk-changes.ts'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { announce } from '../../../ui/feedback/announce.ts'
import { Button } from '../../../ui/form/button.tsx'
import type { PickerField } from '../lazy/with-deferred.ts'

const PICKER_BUTTONS: readonly { field: PickerField; label: string; keys?: string }[] = [
  { field: 'status', label: projectViewMessages.properties.status, keys: 's' },
  { field: 'assignees', label: projectViewMessages.properties.who, keys: 'a' },
  { field: 'priority', label: projectViewMessages.properties.priority, keys: 'p' },
  { field: 'tags', label: projectViewMessages.properties.tags, keys: 'l' },
  { field: 'due', label: projectViewMessages.properties.due, keys: 'd' },
  { field: 'project', label: bulkChangeMessages.move },
]

interface BulkActionsProps {
  count: number
  /** Selects the rest; undefined if everything is selected. */
  all: { label: string; run: () => void } | undefined
  /** Why nothing can be changed; undefined if it can. */
  locked: string | undefined
  /** Why a field cannot be set for all selected tasks together. */
  apart?: (field: PickerField) => string | undefined
  undeletable: string | undefined
  open: (field: PickerField, anchor: Element) => void
  complete: () => void
  remove: () => void
  clear: () => void
}

/** The bar of actions on the selected tasks; it replaces the filter bar of a list. */
export function BulkActions(props: BulkActionsProps) {
  const { count, all, locked, apart, undeletable, open, complete, remove, clear } = props
  useEffect(() => announce(`${bulkChangeMessages.bulkBar}: ${formatNumber(count)}`), [count])
  return (
    <section className="head-bar bulk" aria-label={bulkChangeMessages.bulkBar}>
      <span className="gut" />
      <div className="acts">
        <strong>{bulkChangeMessages.selected(count)}</strong>
        {all && (
          <Button kind="plain" onClick={all.run}>
            {all.label}
          </Button>
        )}
      </div>
      <div className="acts end">
        {PICKER_BUTTONS.map(({ field, label, keys }) => (
          <Button
            key={field}
            kind="plain"
            reason={locked ?? apart?.(field)}
            aria-haspopup="dialog"
            onClick={({ currentTarget }) => open(field, currentTarget)}
            {...(keys && { keys })}
          >
            {label}
          </Button>
        ))}
        <Button kind="plain" reason={locked} onClick={complete}>
          {projectViewMessages.complete}
        </Button>
        <Button kind="plain danger" keys="#" reason={locked ?? undeletable} onClick={remove}>
          {projectViewMessages.delete}
        </Button>
        <Button kind="plain" icon="x" keys="escape" onClick={clear}>
          {bulkChangeMessages.clear}
        </Button>
      </div>
    </section>
  )
}
