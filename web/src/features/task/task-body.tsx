import { m } from '../../messages/task.ts'
import { preloadMarkdown } from '../../ui/markdown.tsx'
import { Attachments } from './attachments.tsx'
import { Composer } from './composer.tsx'
import { Description } from './description.tsx'
import { useOpenTask } from './open-task.ts'
import { Props } from './props/props.tsx'
import { Subtasks } from './subtasks.tsx'
import { TaskTitle } from './task-title.tsx'
import { Thread } from './thread.tsx'
import { TimeSection } from './time-section.tsx'

preloadMarkdown()

/** A task from its title to its thread: in one column, or on a page with the properties beside. */
export function TaskBody({ page }: { page: boolean }) {
  const { task } = useOpenTask()
  const text = (
    <>
      <Description />
      <Subtasks />
      <Attachments />
      <TimeSection />
      <Thread />
    </>
  )
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <section className="scroll" tabIndex={0} aria-label={m.region(task.short_id)}>
        <TaskTitle />
        {page ? (
          <div className="page-cols">
            <div>{text}</div>
            <aside aria-label={m.properties}>
              <Props />
            </aside>
          </div>
        ) : (
          <>
            <Props />
            {text}
          </>
        )}
      </section>
      <Composer />
    </>
  )
}
