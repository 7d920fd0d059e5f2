import './quick-add.css'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import { lazyQuickAddField } from '../lazy/deferred-components.ts'
import { LazyField } from '../lazy/lazy-field.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import { getDefaultStatus } from './default-status.ts'
import { type NewTaskTarget, useQuickAdd } from './quick-add-context.ts'

interface QuickAddRowProps {
  section: TaskSection
  index: number
  top: number
}

/** The row at the end of a group for typing new tasks. */
export function QuickAddRow({ section, index, top }: QuickAddRowProps) {
  const { project } = useProjectPageContext()
  const { place } = useQuickAdd()
  const parent = place?.parent
  const groupStatus = project.statuses.find(({ key }) => key === section.key)
  const mark = getStatusMark(project.statuses, groupStatus?.key ?? getDefaultStatus(project) ?? '')
  return (
    <div className="row add" role="row" aria-rowindex={index + 2} style={{ insetBlockStart: top }}>
      <div className="gut" role="gridcell">
        {projectViewMessages.coming}
      </div>
      <div className="what" role="gridcell">
        <StatusMark mark={mark} />
        {parent && (
          <span className="chip still">
            <i>{projectViewMessages.under}</i>
            <ShortId id={parent.short_id} />
          </span>
        )}
        <NewTaskLine
          label={
            parent
              ? projectViewMessages.newUnder(parent.short_id)
              : projectViewMessages.newIn(section.label)
          }
          place={{ group: section.key, parent }}
        />
      </div>
    </div>
  )
}

/** The input for a new task; its code is loaded on demand. */
export function NewTaskLine({ label, place }: { label: string; place: NewTaskTarget }) {
  const { end } = useQuickAdd()
  return (
    <LazyField
      part={lazyQuickAddField}
      props={{ label, place }}
      label={label}
      placeholder={projectViewMessages.newHint}
      onEscape={end}
    />
  )
}
