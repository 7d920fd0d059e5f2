import { m } from '../../messages/tasks.ts'
import { ShortId } from '../../ui/short-id.tsx'
import { stampOf } from '../../ui/stamp.ts'
import { StatusMark } from '../../ui/status-mark.tsx'
import { useAdding } from './adding.ts'
import type { Section } from './layout.ts'
import { NewLine } from './new-line.tsx'
import { firstStatus } from './new-task.ts'
import { useScreen } from './screen.ts'

interface Props {
  section: Section
  index: number
  top: number
}

/** The row at the end of a group in which new tasks are typed. */
export function QuickAdd({ section, index, top }: Props) {
  const { project } = useScreen()
  const { place } = useAdding()
  const parent = place?.parent
  const own = project.statuses.find(({ key }) => key === section.key)
  const mark = stampOf(project.statuses, own?.key ?? firstStatus(project) ?? '')
  return (
    <div className="row add" role="row" aria-rowindex={index + 2} style={{ insetBlockStart: top }}>
      <div className="gut" role="gridcell">
        {m.coming}
      </div>
      <div className="what" role="gridcell">
        <StatusMark mark={mark} />
        {parent && (
          <span className="chip still">
            <i>{m.under}</i>
            <ShortId id={parent.short_id} />
          </span>
        )}
        <NewLine
          label={parent ? m.newUnder(parent.short_id) : m.newIn(section.label)}
          place={{ group: section.key, parent }}
        />
      </div>
    </div>
  )
}
