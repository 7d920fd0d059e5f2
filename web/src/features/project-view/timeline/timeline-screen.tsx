import '../schedule/plan-screen.css'
import './timeline-screen.css'
import { Suspense, useMemo, useState } from 'react'
import { getCachedTask, useTasksRevision } from '../../../data/tasks/task-store.ts'
import { projectViewMessages as t } from '../../../messages/tasks/project-view.ts'
import { viewMessages } from '../../../messages/tasks/views.ts'
import { ErrorMessage } from '../../../ui/feedback/error-message.tsx'
import { Skeleton } from '../../../ui/layout/skeleton.tsx'
import { TaskSidePanel } from '../../task-detail/index.ts'
import { buildSections } from '../grouping/task-sections.ts'
import { useTasks } from '../grouping/use-tasks.ts'
import { MoreMenu } from '../header/more-menu.tsx'
import { ProjectHeader } from '../header/project-header.tsx'
import { ListLayout, type TaskSection } from '../layout/list-layout.ts'
import {
  LazyNoTasks,
  LazyRetainSelection,
  usePreloadDeferred,
} from '../lazy/deferred-components.ts'
import type { ProjectScreenProps } from '../list/list-screen.tsx'
import { useListKeys } from '../list/use-list-keys.ts'
import { useProjectPageContext } from '../project-page-context.ts'
import { useQuickAddState } from '../quick-add/new-task-target.ts'
import { QuickAddContext } from '../quick-add/quick-add-context.ts'
import { TaskSpans } from '../schedule/task-spans.ts'
import { useReadOnly } from '../schedule/use-read-only.ts'
import { useSiblings } from '../selection/use-siblings.ts'
import { Timeline } from './timeline.tsx'

const NONE_FOLDED: ReadonlySet<string> = new Set()

/** The tasks of a project as bars from start to due date, in the groups of the list. */
export function TimelineScreen({ view, setView, open }: ProjectScreenProps) {
  const context = useProjectPageContext()
  const { list, error, retry } = useTasks(context, view)
  const readOnly = useReadOnly()
  const [folded, setFolded] = useState(NONE_FOLDED)
  const { group } = view
  const adding = useQuickAddState(context, group)
  const { place } = adding
  const revision = useTasksRevision()
  // biome-ignore lint/correctness/useExhaustiveDependencies: any task may have other dates since
  const { layout, spans, unplanned } = useMemo(() => {
    const ids = list?.groups.flatMap((one) => one.ids) ?? []
    const spans = new TaskSpans(getCachedTask, ids)
    const all = list ? buildSections(context, group, list, folded, place?.group) : []
    const sections = all.map((section) => withoutUnscheduled(section, spans))
    const visibleSections = sections.filter(({ lines, adding }) => lines.length > 0 || adding)
    const layout = new ListLayout(visibleSections, group !== 'none')
    const without = all.flatMap(({ lines }) => lines.filter(({ id }) => !spans.get(id)))
    return { layout, spans, unplanned: [...new Set(without.map(({ id }) => id))] }
  }, [context, group, list, folded, place?.group, revision])
  const onFold = (key: string) =>
    setFolded((current) => {
      const next = new Set(current)
      if (!next.delete(key)) next.add(key)
      return next
    })
  usePreloadDeferred()
  useListKeys({ context, view, setView, layout, adding, open })
  const count = list?.total ?? 0
  return (
    <>
      <main className="paper" id="work">
        <QuickAddContext value={adding}>
          <ProjectHeader {...{ view, setView }} list={list} more={<MoreMenu view={view} />} />
          {error !== undefined && <ErrorMessage error={error} onRetry={retry} />}
          {!list && error === undefined && (
            <div className="scroll">
              <Skeleton rows={18} />
            </div>
          )}
          <Suspense>
            <LazyRetainSelection layout={layout} list={list} />
          </Suspense>
          {list && count === 0 && !place && (
            <Suspense>
              <LazyNoTasks {...{ view, setView, list }} />
            </Suspense>
          )}
          {list && (count > 0 || place) && (
            <Timeline {...{ view, layout, spans, unplanned, readOnly, onFold }} />
          )}
        </QuickAddContext>
        {readOnly && <p className="plan-note">{viewMessages.readOnly}</p>}
        {list && count > 0 && layout.allIds.length === 0 && (
          <p className="plan-note" role="status">
            {viewMessages.nothingPlanned}
          </p>
        )}
        <span className="sr">{t.tasks(count)}</span>
      </main>
      <TaskSidePanel shortId={open} siblings={useSiblings(layout, open)} />
    </>
  )
}

/** A group without its tasks that have no dates, which are listed in the tray. */
function withoutUnscheduled(section: TaskSection, spans: TaskSpans): TaskSection {
  const lines = section.lines.filter(({ id }) => spans.get(id))
  return { ...section, lines, count: lines.length }
}
