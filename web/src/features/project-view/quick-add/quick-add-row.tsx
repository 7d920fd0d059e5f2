import './quick-add.css'
import { useContext } from 'react'
import { projectViewMessages } from '../../../messages/tasks/project-view.ts'
import { ShortId } from '../../../ui/marks/short-id.tsx'
import { StatusMark } from '../../../ui/marks/status-mark.tsx'
import { getStatusMark } from '../../../ui/marks/status-mark-name.ts'
import type { TaskSection } from '../layout/list-layout.ts'
import { lazyQuickAddField } from '../lazy/deferred-components.ts'
import { LazyField } from '../lazy/lazy-field.tsx'
import { useProjectPageContext } from '../project-page-context.ts'
import { ProjectViewContext } from '../project-view.ts'
import { getDefaultStatus } from './default-status.ts'
import { getTargetProject } from './new-task-target.ts'
import { type NewTaskTarget, useQuickAdd } from './quick-add-context.ts'

interface QuickAddRowProps {
  section: TaskSection
  index: number
  top: number
}

/** The row at the end of a group for typing new tasks. */
export function QuickAddRow({ section, index, top }: QuickAddRowProps) {
  const { statuses } = useProjectPageContext()
  const { place } = useQuickAdd()
  const parent = place?.parent
  const groupStatus = statuses.find(({ key }) => key === section.key)
  const mark = getStatusMark(statuses, groupStatus?.key ?? getDefaultStatus({ statuses }) ?? '')
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
  const { group } = useContext(ProjectViewContext)
  const project = getTargetProject(useProjectPageContext(), group, place)
  if (!project) return null
  return (
    <LazyField
      part={lazyQuickAddField}
      props={{ label, place, project }}
      label={label}
      placeholder={projectViewMessages.newHint}
      onEscape={end}
    />
  )
}
