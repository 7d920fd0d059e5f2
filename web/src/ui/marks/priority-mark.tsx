import type { Task } from '#resources/tasks/fields.ts'
import { uiMessages } from '../../messages/app/ui.ts'
import { Drawing } from './drawing.tsx'

const BARS = ['M1 9h3v4H1z', 'M5.5 5.5h3V13h-3z', 'M10 2h3v11h-3z']
const LIT_BARS = { none: 0, low: 1, medium: 2, high: 3, urgent: 3 }

/** Three bars, or a square with "!"; `silent` hides it from screen readers beside its name. */
export function PriorityMark({
  priority,
  silent,
}: {
  priority: Task['priority']
  silent?: boolean
}) {
  return (
    <Drawing className="pr" size={14} label={silent ? undefined : uiMessages.priority[priority]}>
      {priority === 'urgent' ? (
        <>
          <path className="urgent" d="M1 1h12v12H1z" />
          <path className="bang" d="M6.1 3h1.8v5H6.1zM6.1 9.3h1.8v1.8H6.1z" />
        </>
      ) : (
        BARS.map((d, index) => (
          <path key={d} d={d} {...(index < LIT_BARS[priority] && { className: 'on' })} />
        ))
      )}
    </Drawing>
  )
}
