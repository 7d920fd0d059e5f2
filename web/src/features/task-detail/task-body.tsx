import { taskDetailMessages } from '../../messages/tasks/task-detail.ts'
import { preloadMarkdown } from '../../ui/markdown/markdown.tsx'
import { AttachmentsSection } from './attachments/attachments-section.tsx'
import { useOpenTask } from './open-task-context.ts'
import { TaskProperties } from './properties/task-properties.tsx'
import { SubtasksSection } from './subtasks/subtasks-section.tsx'
import { CommentComposer } from './thread/comment-composer.tsx'
import { ThreadSection } from './thread/thread-section.tsx'
import { TimeSection } from './time/time-section.tsx'
import { TaskDescription } from './title-and-description/task-description.tsx'
import { TaskTitle } from './title-and-description/task-title.tsx'

preloadMarkdown()

/** The content of a task: one column in the panel, on a page with the properties beside it. */
export function TaskBody({ page }: { page: boolean }) {
  const { task } = useOpenTask()
  const sections = (
    <>
      <TaskDescription />
      <SubtasksSection />
      <ThreadSection />
      <TimeSection />
      <AttachmentsSection />
    </>
  )
  return (
    <>
      <section
        className="scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be keyboard accessible
        tabIndex={0}
        aria-label={taskDetailMessages.region(task.short_id)}
      >
        <TaskTitle />
        {page ? (
          <div className="page-cols">
            <div>{sections}</div>
            <aside aria-label={taskDetailMessages.properties}>
              <TaskProperties />
            </aside>
          </div>
        ) : (
          <>
            <TaskProperties />
            {sections}
          </>
        )}
      </section>
      <CommentComposer />
    </>
  )
}
